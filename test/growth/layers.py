"""A model of any number of layers, with what the keys of --distribute are about: matrices, biases, batch normalizations and tables.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH = 8


class Chain:
    """Layers one after the other, of which each takes all that the one before gives."""

    def __init__(self):
        self.nodes, self.initializers = [], []
        self.value = "x"

    def weight(self, name, *shape):
        values = np.linspace(-0.5, 0.5, int(np.prod(shape)), dtype=np.float32).reshape(shape)
        self.initializers.append(numpy_helper.from_array(values, name))
        return name

    def numbers(self, name, *values):
        self.initializers.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def node(self, operator, inputs, name, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def dense(self, i):
        self.value = self.node("Gemm", [self.value, self.weight(f"{i}.weight", WIDTH, WIDTH), self.weight(f"{i}.bias", WIDTH)], f"{i}.gemm")
        self.value = self.node("Relu", [self.value], f"{i}.relu")

    def residual(self, i):
        """Both operands of the sum are of the layer before: paths through n such layers are 2^n."""
        made = self.node("MatMul", [self.value, self.weight(f"{i}.weight", WIDTH, WIDTH)], f"{i}.matmul")
        self.value = self.node("Add", [made, self.value], f"{i}.add")

    def normalization(self, i):
        parts = [self.weight(f"{i}.{part}", WIDTH) for part in ("scale", "offset", "mean", "variance")]
        self.value = self.node("BatchNormalization", [self.value, *parts], f"{i}.norm")

    def lookup(self, i):
        rows = self.node("Gather", [self.weight(f"{i}.table", 64, WIDTH), "ids"], f"{i}.rows", axis=0)
        self.value = self.node("Add", [self.value, rows], f"{i}.sum")


    def stacked(self, i):
        """A local reshape of its features may be that of several whole ones, and the first that fits is not right."""
        x = self.node("MatMul", [self.value, self.weight(f"{i}.wide", WIDTH, 2 * WIDTH)], f"{i}.widened")
        x = self.node("Unsqueeze", [x, self.numbers(f"{i}.front", 0)], f"{i}.unsqueezed")
        x = self.node("Mul", [x, self.weight(f"{i}.gain", 2 * WIDTH)], f"{i}.scaled")
        x = self.node("Transpose", [x], f"{i}.transposed", perm=[1, 0, 2])
        x = self.node("Reshape", [x, self.numbers(f"{i}.shape", -1, 2 * WIDTH)], f"{i}.flat")
        self.value = self.node("MatMul", [x, self.weight(f"{i}.narrow", 2 * WIDTH, WIDTH)], f"{i}.narrowed")


def model_of(kinds):
    """One layer of each of these, one after the other."""
    chain = Chain()
    for i, kind in enumerate(kinds):
        getattr(chain, kind)(f"layer{i}")
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", WIDTH]),
              helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch"])]
    output = helper.make_tensor_value_info(chain.value, TensorProto.FLOAT, ["batch", WIDTH])
    graph = helper.make_graph(chain.nodes, f"layers{len(kinds)}", inputs[:2 if "lookup" in kinds else 1], [output], chain.initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def model(layers):
    """In turn dense layers, residual ones, and every sixteenth a normalization or a lookup."""
    return model_of(["normalization" if i % 16 == 3 else "lookup" if i % 16 == 7 else "dense" if i % 2 else "residual" for i in range(layers)])


def stacked_model(layers):
    return model_of(["stacked"] * layers)


def write(layers, path):
    onnx.save(model(layers), path)
