#!/usr/bin/python3
"""Runs the evaluator on the cases that the ONNX project publishes for its operators (Debian's libonnx-testdata)."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import glob
import os
import unittest

import numpy as np
import onnx
from onnx import numpy_helper

from evaluator import FORWARD, Evaluator

ROOT = "/usr/share/libonnx-testdata/data/node"
# Beside the evaluator's own operators those that it shares with the digits models.
OPERATORS = set(FORWARD) | {"Add", "Concat", "Constant", "ConstantOfShape", "Flatten", "Gather", "Gemm", "Mul", "Relu",
                            "Tanh"}
# What no family uses: masks of Dropout, which ONNX does not define; class weights, and sums that are not divided; types
# but f32, i64 and bool; equal parts without sizes; and window functions of signals, with attributes of their own.
UNUSED = ("training_dropout", "sce_", "cast_", "castlike_", "div_uint8", "split_equal",
          "unsqueeze_axis_3", "window")
ENOUGH = 200


def tensors(folder, kind):
    result = []
    for index in range(len(glob.glob(os.path.join(folder, kind + "_*.pb")))):
        tensor = onnx.TensorProto()
        with open(os.path.join(folder, f"{kind}_{index}.pb"), "rb") as file:
            tensor.ParseFromString(file.read())
        result.append(numpy_helper.to_array(tensor))
    return result


def run_case(folder):
    """(what the evaluator gives, what ONNX says), or None for a case of other operators."""
    model = onnx.load(os.path.join(folder, "model.onnx"))
    name = os.path.basename(folder)
    if any(part in name for part in UNUSED) or not {node.op_type for node in model.graph.node} <= OPERATORS:
        return None
    data = os.path.join(folder, "test_data_set_0")
    inputs = dict(zip([value.name for value in model.graph.input], tensors(data, "input")))
    values = Evaluator(model).run(inputs)
    return [values[value.name] for value in model.graph.output], tensors(data, "output")


@unittest.skipUnless(os.path.isdir(ROOT), "libonnx-testdata is not installed")
class PublishedCases(unittest.TestCase):
    def test_all_cases_of_the_operators(self):
        count = 0
        for folder in sorted(glob.glob(os.path.join(ROOT, "test_*"))):
            with self.subTest(os.path.basename(folder)):
                case = run_case(folder)
                if case is None:
                    continue
                count += 1
                for found, said in zip(*case):
                    self.assertEqual(found.shape, said.shape)
                    np.testing.assert_allclose(found, said, rtol=1e-3, atol=1e-6)
        self.assertGreater(count, ENOUGH)


if __name__ == "__main__":
    unittest.main()
