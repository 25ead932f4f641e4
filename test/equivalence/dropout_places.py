"""Writes models that drop what has its samples along other dimensions than the first, and data:

    dropout_places.py FOLDER        first, folded, last, weight, pooled, root .onnx, and data.npz
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BATCH, TIME, WIDTH = 8, 3, 4


def transpose(source, target, perm):
    return helper.make_node("Transpose", [source], [target], name=target, perm=perm)


def drop(source, target):
    return helper.make_node("Dropout", [source, "ratio", "training"], [target], name=target)


# From e, [batch, time, width], to z, likewise: what is dropped of samples, of a weight, of the mean of all samples, or in front of a root of that.
PLACES = {
    "first": [transpose("e", "t", [1, 0, 2]), drop("t", "d"), transpose("d", "z", [1, 0, 2])],
    "folded": [transpose("e", "t", [1, 0, 2]), helper.make_node("Reshape", ["t", "fold"], ["f"]), drop("f", "d"),
               helper.make_node("Reshape", ["d", "unfold"], ["u"]), transpose("u", "z", [1, 0, 2])],
    "last": [transpose("e", "t", [1, 2, 0]), drop("t", "d"), transpose("d", "z", [2, 0, 1])],
    "weight": [drop("scale", "d"), helper.make_node("Mul", ["e", "d"], ["z"])],
    "pooled": [helper.make_node("ReduceMean", ["e"], ["m"], name="m", axes=[0], keepdims=1), drop("m", "d"),
               helper.make_node("Add", ["e", "d"], ["z"])],
    "root": [drop("e", "z")],
}


def save(folder, place):
    """A row of the table for each sample, whose gradient tells what was kept."""
    source = np.random.default_rng(5)
    initializers = {"table": np.ones((BATCH, TIME * WIDTH), np.float32), "three": np.array([-1, TIME, WIDTH]),
                    "fold": np.array([-1, WIDTH]), "unfold": np.array([TIME, -1, WIDTH]), "ratio": np.array(0.5, np.float32),
                    "training": np.array(True), "scale": source.standard_normal((TIME, WIDTH)).astype(np.float32)}
    nodes = [helper.make_node("Gather", ["table", "ids"], ["rows"], name="rows"),
             helper.make_node("Reshape", ["rows", "three"], ["e"], name="e"), *PLACES[place],
             helper.make_node("Sub", ["z", "target"], ["error"], name="error"),
             helper.make_node("Mul", ["error", "error"], ["square"], name="square"),
             helper.make_node("ReduceMean", ["square"], ["mean"], name="mean", keepdims=0),
             helper.make_node("Sqrt" if place == "root" else "Identity", ["mean"], ["loss"], name="loss")]
    used = {name for node in nodes for name in node.input}
    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, ["N"]),
              helper.make_tensor_value_info("target", TensorProto.FLOAT, ["N", TIME, WIDTH])]
    graph = helper.make_graph(nodes, place, inputs, [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])],
                              [numpy_helper.from_array(value, name) for name, value in initializers.items() if name in used])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, os.path.join(folder, place + ".onnx"))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for place in PLACES:
        save(folder, place)
    source = np.random.default_rng(9)
    target = source.standard_normal((2 * BATCH, TIME, WIDTH)).astype(np.float32)
    np.savez(os.path.join(folder, "data.npz"), ids=np.arange(2 * BATCH) % BATCH, target=target)


if __name__ == "__main__":
    main()
