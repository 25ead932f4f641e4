"""Writes a model of the digits whose initializers are stored in every way: f16 in a list of numbers, tied, in a file, constant.

    odd_model.py FOLDER

FOLDER/odd.onnx has all in itself, FOLDER/external.onnx the same with its large tensors in external.bin.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def normal(random, *shape):
    return (0.1 * random.standard_normal(shape)).astype(np.float32)


def initializers(random):
    half = normal(random, 64, 32).astype(np.float16)
    listed = normal(random, 32)
    return [helper.make_tensor("half.weight", TensorProto.FLOAT16, half.shape, [float(number) for number in half.flatten()]),
            helper.make_tensor("listed.bias", TensorProto.FLOAT, listed.shape, [float(number) for number in listed]),
            numpy_helper.from_array(normal(random, 32, 32), "tied.weight"),
            numpy_helper.from_array(normal(random, 32, 10), "last.weight"),
            numpy_helper.from_array(np.array([-1, 32], np.int64), "shape"),
            numpy_helper.from_array(normal(random, 7), "unused")]


def graph():
    random = np.random.RandomState(0)
    offsets = numpy_helper.from_array(normal(random, 32, 32), "offsets")
    nodes = [helper.make_node("Cast", ["half.weight"], ["wide"], "cast", to=TensorProto.FLOAT),
             helper.make_node("Flatten", ["input"], ["pixels"], "flatten"),
             helper.make_node("Gemm", ["pixels", "wide", "listed.bias"], ["hidden"], "gemm"),
             helper.make_node("Relu", ["hidden"], ["active"], "relu"),
             helper.make_node("Constant", [], ["offsets"], "offsets", value=offsets),
             helper.make_node("Add", ["tied.weight", "offsets"], ["moved"], "move"),
             helper.make_node("MatMul", ["active", "moved"], ["first"], "first"),
             helper.make_node("MatMul", ["first", "tied.weight"], ["second"], "second"),
             helper.make_node("Reshape", ["second", "shape"], ["flat"], "reshape"),
             helper.make_node("MatMul", ["flat", "last.weight"], ["scores"], "last")]
    return helper.make_graph(nodes, "odd", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 1, 8, 8])],
                             [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", 10])], initializers(random),
                             doc_string="a graph", value_info=[helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["batch", 32])])


def main():
    folder = sys.argv[1]
    model = helper.make_model(graph(), opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="odd_model.py")
    helper.set_model_props(model, {"author": "nobody"})
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(folder, "odd.onnx"))
    onnx.save(model, os.path.join(folder, "external.onnx"), save_as_external_data=True, location="external.bin", size_threshold=512,
              convert_attribute=True)


if __name__ == "__main__":
    main()
