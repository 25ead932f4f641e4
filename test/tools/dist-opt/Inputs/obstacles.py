"""Writes a model that has one obstacle of each kind: obstacles.py FILE"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def value(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def missing(name, *shape):
    """A tensor in a file that is not there."""
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
    tensor.dims.extend(shape)
    tensor.external_data.add(key="location", value="ghost.bin")
    return tensor


def main():
    nodes = [
        helper.make_node("Add", ["x", "of each"], ["e"], name="offsets"),  # a value for each sample
        helper.make_node("MatMul", ["e", "w"], ["h"], name="fc"),
        helper.make_node("Swirl", ["h"], ["s"], name="spin", domain="com.acme"),
        helper.make_node("Swirl", ["s"], ["s2"], name="spin again", domain="com.acme"),
        helper.make_node("Relu", ["s2"], ["r"], name="bad", slope=2.0),
        helper.make_node("Twirl", ["r"], ["t"], name="turn", domain="com.acme"),
        helper.make_node("Mul", ["t", "scale"], ["m"], name="scaled"),
        helper.make_node("Less", ["m", "base"], ["k"], name="kept"),
        helper.make_node("DropoutGrad", ["m", "k"], ["p"], name="backward", domain="com.microsoft"),
        helper.make_node("Add", ["p", "scale"], ["y"], name="last"),
    ]
    initializers = [missing("w", 4, 3), numpy_helper.from_array(np.ones((2, 4), np.float32), "of each"),
                    numpy_helper.from_array(np.ones(3, np.float32), "scale"),
                    numpy_helper.from_array(np.full(3, 2, np.float32), "base")]
    graph = helper.make_graph(nodes, "graph", [value("x", 2, 4)], [value("y", 2, 3)], initializers,
                              value_info=[value(name, 2, 3) for name in ("s", "s2", "t")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1), helper.make_opsetid("com.microsoft", 1)],
                              ir_version=8)
    with open(sys.argv[1], "wb") as file:
        file.write(model.SerializeToString())


if __name__ == "__main__":
    main()
