"""Writes a classifier of digits whose layers are Einsum: einsum_model.py OUT [--plain]

The rows of a picture are the words of a sentence: projections into heads, attention, a projection back, and classes. With --plain
the same sums are written with MatMul, Reshape and Transpose.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HEADS, WIDTH, WORDS = 2, 4, 8


def weights():
    random = np.random.RandomState(5)
    shapes = {"query": (WORDS, HEADS, WIDTH), "key": (WORDS, HEADS, WIDTH), "value": (WORDS, HEADS, WIDTH),
              "back": (HEADS, WIDTH, 16), "classes": (WORDS, 16, 10)}
    return [numpy_helper.from_array(random.normal(0, 0.4, shape).astype(np.float32), name) for name, shape in shapes.items()]


def constants():
    shapes = {"words": [-1, WORDS, WORDS], "matrix": [WORDS, HEADS * WIDTH], "heads": [0, WORDS, HEADS, WIDTH],
              "joined": [0, WORDS, HEADS * WIDTH], "back_matrix": [HEADS * WIDTH, 16], "flat": [0, WORDS * 16],
              "class_matrix": [WORDS * 16, 10]}
    return [numpy_helper.from_array(np.array(shape, np.int64), name) for name, shape in shapes.items()]


def einsum(equation, inputs, output):
    return [helper.make_node("Einsum", inputs, [output], name=output, equation=equation)]


def chain(output, *steps):
    """One node for each (operator, further inputs, attributes); the first input of each is the output of the one before."""
    nodes = []
    for index, (op, inputs, attributes) in enumerate(steps):
        name = output if index == len(steps) - 1 else f"{output}_{index}"
        inputs = inputs if not nodes else [nodes[-1].output[0], *inputs]
        nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
    return nodes


def layers(is_plain):
    if not is_plain:
        return (sum((einsum("bsi,ihd->bshd", ["sentence", name], name + "s") for name in ("query", "key", "value")), []) +
                einsum("bihd,bjhd->bhij", ["querys", "keys"], "scores"),
                einsum("bhij,bjhd,hdo->bio", ["shares", "values", "back"], "words_again"),
                einsum("...so,soc->...c", ["active", "classes"], "logits"))
    projections = [node for name in ("query", "key", "value") for node in
                   chain(name + "_m", ("Reshape", [name, "matrix"], {})) +
                   chain(name + "s", ("MatMul", ["sentence", name + "_m"], {}), ("Reshape", ["heads"], {}))]
    return (projections + chain("q", ("Transpose", ["querys"], {"perm": [0, 2, 1, 3]})) +
            chain("k", ("Transpose", ["keys"], {"perm": [0, 2, 3, 1]})) + chain("scores", ("MatMul", ["q", "k"], {})),
            chain("v", ("Transpose", ["values"], {"perm": [0, 2, 1, 3]})) + chain("b", ("Reshape", ["back", "back_matrix"], {})) +
            chain("words_again", ("MatMul", ["shares", "v"], {}), ("Transpose", [], {"perm": [0, 2, 1, 3]}),
                  ("Reshape", ["joined"], {}), ("MatMul", ["b"], {})),
            chain("c", ("Reshape", ["classes", "class_matrix"], {})) +
            chain("logits", ("Reshape", ["active", "flat"], {}), ("MatMul", ["c"], {})))


def main():
    scores, mixed, classes = layers("--plain" in sys.argv[2:])
    nodes = [helper.make_node("Reshape", ["input", "words"], ["sentence"], name="sentence"), *scores,
             helper.make_node("Softmax", ["scores"], ["shares"], name="shares", axis=-1), *mixed,
             helper.make_node("Tanh", ["words_again"], ["active"], name="active"), *classes]
    graph = helper.make_graph(nodes, "einsum", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", 1, WORDS, WORDS])],
                              [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 10])],
                              weights() + constants())
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])


if __name__ == "__main__":
    main()
