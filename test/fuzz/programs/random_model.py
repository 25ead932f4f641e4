"""Random training graphs: a trunk of layers with branches, as an ONNX file, and a dataset for it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models"))
from forward_graphs import IR_VERSION, OPSET, GraphWriter  # noqa: E402

# Smooth only: a kink within rounding of a value parts two right runs (docs/decisions/0001).
SMOOTH = ("Tanh", "Sigmoid", "Erf")
CLASSES = 5


class RandomModel:
    """A graph of `depth` blocks over rows of features, perhaps with a convolution in front."""

    def __init__(self, random):
        self.random = random
        self.writer = GraphWriter(random.randrange(1 << 31))
        self.count = 0
        self.has_images = random.random() < 0.3
        self.shape = [random.choice((1, 2)), 6, 6] if self.has_images else [random.choice((3, 7, 16))]
        self.depth = random.randint(1, 4)
        self.takes_statistics = False  # of its batch; known when it is written

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def node(self, op, inputs, **attributes):
        name = self.name(op.lower())
        return self.writer.node(op, name, inputs, [name + "_output"], **attributes)

    def linear(self, x, width, outputs):
        return self.writer.linear(self.name("fc"), x, width, outputs), outputs

    def parameter(self, shape):
        return self.writer.constant(self.name("scale"), (1 + 0.1 * self.writer.random.standard_normal(shape)).astype(np.float32))

    def convolve(self, x):
        channels = self.random.choice((2, 3))
        x = self.writer.convolution(self.name("conv"), x, self.shape[0], channels)
        if self.random.random() < 0.5:
            self.takes_statistics = True
            x = self.writer.batch_normalization(self.name("bn"), x, channels, training=True)
        x = self.node(self.random.choice(SMOOTH), [x])
        if self.random.random() < 0.5:
            x = self.node("AveragePool", [x], kernel_shape=[2, 2], strides=[2, 2])
            return self.node("Flatten", [x], axis=1), channels * 9
        return self.node("Flatten", [x], axis=1), channels * 36

    def block(self, x, width):
        """One of the blocks of which networks are made; returns its output and the width of it."""
        kind = self.random.choice(("plain", "residual", "gated", "concat", "scaled", "centred", "split"))
        if kind == "plain":
            x, width = self.linear(x, width, self.random.choice((4, 8, 13)))
            return self.node(self.random.choice(SMOOTH), [x]), width
        if kind == "residual":
            y, _ = self.linear(x, width, width)
            return self.node("Add", [x, self.node(self.random.choice(SMOOTH), [y])]), width
        if kind == "gated":
            a, outputs = self.linear(x, width, self.random.choice((4, 9)))
            b, _ = self.linear(x, width, outputs)
            return self.node("Mul", [a, self.node("Sigmoid", [b])]), outputs
        if kind == "concat":
            y, outputs = self.linear(x, width, 3)
            return self.node("Concat", [x, self.node("Tanh", [y])], axis=1), width + outputs
        if kind == "scaled":
            y = self.node("Mul", [x, self.parameter([width])])
            return self.node("Sub", [y, self.parameter([width])]), width
        if kind == "centred":
            mean = self.node("ReduceMean", [x], axes=[1], keepdims=1)
            return self.node("Sub", [x, mean]), width
        soft = self.node("Softmax", [x], axis=1)
        return self.node("Sum", [soft, x]), width

    def write(self, path):
        x, width = "x", self.shape[0]
        if self.has_images:
            x, width = self.convolve(x)
        for _ in range(self.depth):
            x, width = self.block(x, width)
        self.writer.linear("head", x, width, CLASSES, result="logits")
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", *self.shape])]
        outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", CLASSES])]
        graph = helper.make_graph(self.writer.nodes, "random", inputs, outputs, self.writer.initializers)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION), path)

    def write_data(self, path, samples):
        values = np.random.RandomState(self.random.randrange(1 << 31))
        np.savez(path, x=values.standard_normal([samples, *self.shape]).astype(np.float32),
                 label=values.randint(0, CLASSES, samples).astype(np.int64))
