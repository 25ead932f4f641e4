"""Networks that ranks share in unusual ways: small_networks.py deep|means|positions|narrow|stacked|channels|lookups FILE.onnx

deep: 150 activations lie between two products. means: features are centred and scaled between them. positions: a perceptron after a table
that is as long as a sentence. narrow: two features between two products. stacked: features have a dimension of size 1 before them for a while.
channels: each channel has a convolution of its own. lookups: nearly all weights are a table.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Network:
    def __init__(self):
        self.random = np.random.default_rng(5)
        self.nodes, self.weights = [], []

    def weight(self, name, *shape):
        self.weights.append(numpy_helper.from_array(self.random.standard_normal(shape).astype(np.float32) / 4, name))
        return name

    def numbers(self, name, *values):
        self.weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def node(self, op, *inputs, **attributes):
        name = f"{op.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def product(self, x, name, inputs, outputs):
        return self.node("MatMul", x, self.weight(name, inputs, outputs))


def deep(network):
    x = network.product("x", "first", 8, 16)
    for _ in range(150):
        x = network.node("Tanh", x)
    return network.product(x, "second", 16, 4)


def means(network):
    x = network.product("x", "first", 8, 16)
    x = network.node("Sub", x, network.node("ReduceMean", x, axes=[1]))
    squares = network.node("Mul", x, x)
    root = network.node("Sqrt", network.node("Add", network.node("ReduceMean", squares, axes=[1]), network.weight("least", 1)))
    return network.product(network.node("Mul", network.node("Div", x, root), network.weight("gain", 16)), "second", 16, 4)


def positions(network):
    x = network.node("Add", "x", network.weight("table", 6, 8))
    y = network.node("Tanh", network.product(x, "first", 8, 16))
    x = network.node("Add", x, network.product(y, "second", 16, 8))
    return network.product(x, "head", 8, 4)


def narrow(network):
    x = network.node("Add", network.product("x", "first", 8, 2), network.weight("bias", 2))
    return network.product(network.node("Tanh", x), "second", 2, 4)


def stacked(network):
    """As recurrent layers have directions."""
    x = network.node("Unsqueeze", network.product("x", "first", 8, 16), network.numbers("front", 0))
    x = network.node("Mul", network.node("Tanh", x), network.weight("gain", 16))
    x = network.node("Transpose", x, perm=[1, 0, 2])
    return network.product(network.node("Reshape", x, network.numbers("flat", -1, 16)), "second", 16, 4)


def channels(network):
    x = network.node("Reshape", "x", network.numbers("planes", -1, 2, 2, 2))
    x = network.node("Tanh", network.node("Conv", x, network.weight("first", 4, 2, 1, 1)))
    x = network.node("Conv", x, network.weight("own", 4, 1, 2, 2), group=4, pads=[0, 0, 1, 1])
    return network.product(network.node("Flatten", x), "second", 16, 4)


def lookups(network):
    rows = network.node("Gather", network.weight("table", 4096, 16), network.node("Cast", "x", to=TensorProto.INT64), axis=0)
    x = network.node("Tanh", network.product(network.node("ReduceMean", rows, axes=[1], keepdims=0), "first", 16, 16))
    return network.product(x, "second", 16, 4)


def main():
    kind, path = sys.argv[1:]
    network = Network()
    kinds = {"deep": deep, "means": means, "positions": positions, "narrow": narrow, "stacked": stacked, "channels": channels,
             "lookups": lookups}
    result = kinds[kind](network)
    sentence = [6] if kind == "positions" else []
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *sentence, width]) for name, width in (("x", 8), (result, 4))]
    graph = helper.make_graph(network.nodes, kind, values[:1], values[1:], network.weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


main()
