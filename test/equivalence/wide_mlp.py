"""Writes an MLP of equal layers and data to train it on: wide_mlp.py LAYERS WIDTH SAMPLES MODEL.onnx DATA.npz
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


def main():
    layers, width, samples = (int(word) for word in sys.argv[1:4])
    model, data = sys.argv[4:]
    random = numpy.random.default_rng(1)
    nodes, variables, value = [], [], "x"
    for layer in range(layers):
        weight = random.standard_normal((width, width), dtype=numpy.float32) * numpy.float32((2 / width) ** 0.5)
        variables += [numpy_helper.from_array(weight, f"w{layer}"), numpy_helper.from_array(numpy.zeros(width, numpy.float32), f"b{layer}")]
        nodes.append(helper.make_node("Gemm", [value, f"w{layer}", f"b{layer}"], [f"z{layer}"], transB=1))
        value = f"z{layer}"
        if layer + 1 < layers:
            nodes.append(helper.make_node("Relu", [value], [f"a{layer}"]))
            value = f"a{layer}"
    places = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", width]) for name in ("x", value)]
    graph = helper.make_graph(nodes, "wide", places[:1], places[1:], variables)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    numpy.savez(data, x=random.standard_normal((samples, width), dtype=numpy.float32), label=random.integers(0, width, samples))


main()
