"""Writes a classifier of digits whose rows are tokens, with a trained value for each place after each of two perceptrons: tokens_model.py OUT

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TOKENS, WIDTH, INNER, CLASSES = 8, 16, 32, 10
SHAPES = {"embed": (8, WIDTH), "classes": (TOKENS * WIDTH, CLASSES)}
for layer in ("0", "1"):
    SHAPES |= {f"{layer}.first": (WIDTH, INNER), f"{layer}.second": (INNER, WIDTH), f"{layer}.places": (1, TOKENS, WIDTH),
               f"{layer}.gain": (WIDTH,)}


def perceptron(x, layer):
    """The sum with what came in, a value of each place, and a norm without a mean."""
    names = [f"{layer}.{name}" for name in ("wide", "active", "narrow", "sum", "placed", "squares", "mean", "above", "root", "normed", "out")]
    wide, active, narrow, sum_, placed, squares, mean, above, root, normed, out = names
    node = helper.make_node
    return out, [node("MatMul", [x, f"{layer}.first"], [wide]), node("Relu", [wide], [active]),
                 node("MatMul", [active, f"{layer}.second"], [narrow]), node("Add", [x, narrow], [sum_]),
                 node("Add", [sum_, f"{layer}.places"], [placed]), node("Mul", [placed, placed], [squares]),
                 node("ReduceMean", [squares], [mean], axes=[-1]), node("Add", [mean, "epsilon"], [above]), node("Sqrt", [above], [root]),
                 node("Div", [placed, root], [normed]), node("Mul", [normed, f"{layer}.gain"], [out])]


def main():
    random = np.random.default_rng(3)
    weights = [numpy_helper.from_array((random.normal(0, 0.3, shape) + name.endswith("gain")).astype(np.float32), name)
               for name, shape in SHAPES.items()]
    constants = [numpy_helper.from_array(np.array([-1, TOKENS, 8], np.int64), "words"),
                 numpy_helper.from_array(np.array([-1, TOKENS * WIDTH], np.int64), "flat"),
                 numpy_helper.from_array(np.array(1e-3, np.float32), "epsilon")]
    nodes = [helper.make_node("Reshape", ["input", "words"], ["rows"]), helper.make_node("MatMul", ["rows", "embed"], ["x"])]
    value = "x"
    for layer in ("0", "1"):
        value, more = perceptron(value, layer)
        nodes += more
    nodes += [helper.make_node("Reshape", [value, "flat"], ["features"]), helper.make_node("MatMul", ["features", "classes"], ["logits"])]
    graph = helper.make_graph(nodes, "tokens", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 1, 8, 8])],
                              [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", CLASSES])], weights + constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), sys.argv[1])


main()
