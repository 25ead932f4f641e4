"""Writes a chain of matrix products with SIZE x SIZE weights, 16 of them: weights_model.py SIZE inside|beside FILE.onnx

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS = 16


def build(size):
    nodes, weights, value = [], [], "x"
    for layer in range(LAYERS):
        values = (np.arange(size * size, dtype=np.float32) + np.float32(layer)) / np.float32(size * size)
        weights.append(numpy_helper.from_array(values.reshape(size, size), f"w{layer}"))
        nodes.append(helper.make_node("MatMul", [value, f"w{layer}"], [f"y{layer}"], name=f"/layer{layer}"))
        value = f"y{layer}"
    nodes.append(helper.make_node("ReduceMean", [value], ["loss"], keepdims=0, name="/loss"))
    graph = helper.make_graph(nodes, "chain", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", size])],
                              [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main():
    size, place, path = sys.argv[1:]
    onnx.save(build(int(size)), path, save_as_external_data=place == "beside", location="weights.bin", size_threshold=0)


if __name__ == "__main__":
    main()
