"""Random training graphs: a trunk of layers with branches over rows or over tokens, as an ONNX file, and a dataset for it."""
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
    """What graphs of all kinds have: nodes with names, and how they are written."""

    loss = "loss=softmax-cross-entropy"  # of the recipe
    tables = ()  # names of what is looked up, and nothing else; known when it is written

    def __init__(self, random):
        self.random = random
        self.writer = GraphWriter(random.randrange(1 << 31))
        self.count = 0
        self.depth = random.randint(1, 4)
        self.takes_statistics = False  # of its batch; known when it is written

    def matrices(self):
        """Names and shapes of the variables of two dimensions, once it is written."""
        return [(tensor.name, tuple(tensor.dims)) for tensor in self.writer.initializers
                if len(tensor.dims) == 2 and tensor.data_type == TensorProto.FLOAT]

    def save(self, path, inputs, outputs):
        graph = helper.make_graph(self.writer.nodes, "random", inputs, outputs, self.writer.initializers)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION), path)

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def node(self, op, inputs, **attributes):
        name = self.name(op.lower())
        return self.writer.node(op, name, inputs, [name + "_output"], **attributes)

    def parameter(self, shape):
        return self.writer.constant(self.name("scale"), (1 + 0.1 * self.writer.random.standard_normal(shape)).astype(np.float32))


class RandomRows(RandomModel):
    """Blocks over rows of features, perhaps with a convolution in front."""

    def __init__(self, random):
        super().__init__(random)
        self.has_images = random.random() < 0.3
        self.shape = [random.choice((1, 2)), 6, 6] if self.has_images else [random.choice((3, 7, 16))]

    def linear(self, x, width, outputs):
        return self.writer.linear(self.name("fc"), x, width, outputs), outputs

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
        self.save(path, inputs, outputs)

    def write_data(self, path, samples):
        values = np.random.RandomState(self.random.randrange(1 << 31))
        np.savez(path, x=values.standard_normal([samples, *self.shape]).astype(np.float32),
                 label=values.randint(0, CLASSES, samples).astype(np.int64))


class RandomTokens(RandomModel):
    """A transformer of a few layers over sentences of few tokens; each token has a label, or each sentence."""

    def __init__(self, random):
        super().__init__(random)
        self.tokens = random.choice((4, 6, 8))
        self.heads = random.choice((2, 3, 4))
        self.width = self.heads * random.choice((2, 4, 5))
        self.vocabulary = random.choice((12, 30, 31))
        self.depth = random.randint(1, 2)
        self.groups = random.choice([groups for groups in (1, 2, self.heads) if self.heads % groups == 0])  # heads of keys
        self.is_pooled = random.random() < 0.3
        self.loss = "loss=softmax-cross-entropy" + ("" if self.is_pooled else " class-axis=last")
        if random.random() < 0.25:
            self.loss += random.choice((" ignore-index=3", " label-smoothing=0.1"))

    def weight(self, rows, columns):
        value = self.writer.random.standard_normal((rows, columns)) / np.sqrt(rows)
        return self.writer.constant(self.name("weight"), value.astype(np.float32))

    def numbers(self, *values):
        return self.writer.constant(self.name("numbers"), np.array(values, np.int64))

    def linear(self, x, width, outputs, has_bias=None):
        y = self.node("MatMul", [x, self.weight(width, outputs)])
        if has_bias is None:
            has_bias = self.random.random() < 0.7
        return self.node("Add", [y, self.parameter([outputs])]) if has_bias else y

    def normalize(self, x):
        if self.random.random() < 0.5:
            return self.node("LayerNormalization", [x, self.parameter([self.width]), self.parameter([self.width])], axis=-1)
        mean = self.node("ReduceMean", [self.node("Mul", [x, x])], axes=[-1], keepdims=1)
        least = self.writer.constant(self.name("least"), np.array(1e-2, np.float32))
        root = self.node("Sqrt", [self.node("Add", [mean, least])])
        return self.node("Mul", [self.node("Div", [x, root]), self.parameter([self.width])])

    def drop(self, x):
        if self.random.random() >= 0.15:
            return x
        ratio = self.writer.constant(self.name("ratio"), np.array(0.2, np.float32))
        mode = self.writer.constant(self.name("mode"), np.array(True))
        return self.node("Dropout", [x, ratio, mode])

    def in_heads(self, x, order, heads):
        """In `heads` of them, each as often as it takes until all queries have one."""
        size = self.width // self.heads
        if heads < self.heads:
            x = self.node("Reshape", [x, self.numbers(-1, self.tokens, heads, 1, size)])
            x = self.node("Expand", [x, self.numbers(1, 1, 1, self.heads // heads, 1)])
        y = self.node("Reshape", [x, self.numbers(-1, self.tokens, self.heads, size)])
        return self.node("Transpose", [y], perm=order)

    def attend(self, x):
        """Without biases: that of the keys has a gradient of zero, but for noise of rounding."""
        if self.groups == self.heads and self.random.random() < 0.5:
            self.count += 1
            parts = [f"part{self.count}_{which}" for which in "qkv"]
            joined = self.linear(x, self.width, 3 * self.width, has_bias=False)
            self.writer.node("Split", self.name("split"), [joined, self.numbers(*[self.width] * 3)], parts, axis=2)
        else:
            narrow = self.width // self.heads * self.groups
            parts = [self.linear(x, self.width, outputs, has_bias=False) for outputs in (self.width, narrow, narrow)]
        query, key, value = (self.in_heads(part, order, heads) for part, order, heads in zip(
            parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), (self.heads, self.groups, self.groups)))
        scores = self.node("MatMul", [query, key])
        if self.random.random() < 0.5:
            mask = np.triu(np.full((1, 1, self.tokens, self.tokens), -1e4, np.float32), 1)
            scores = self.node("Add", [scores, self.writer.constant(self.name("mask"), mask)])
        shares = self.drop(self.node("Softmax", [scores], axis=-1))
        y = self.node("Transpose", [self.node("MatMul", [shares, value])], perm=[0, 2, 1, 3])
        return self.linear(self.node("Reshape", [y, self.numbers(-1, self.tokens, self.width)]), self.width, self.width)

    def perceptron(self, x):
        inner = self.random.choice((6, 8, 12, 15))
        y = self.node(self.random.choice(SMOOTH), [self.linear(x, self.width, inner)])
        if self.random.random() < 0.3:
            y = self.node("Mul", [y, self.linear(x, self.width, inner)])
        return self.linear(y, inner, self.width)

    def write(self, path):
        table = self.writer.constant("table", self.writer.random.standard_normal((self.vocabulary, self.width)).astype(np.float32))
        x = self.node("Gather", [table, "ids"], axis=0)
        if self.random.random() < 0.5:
            x = self.node("Add", [x, self.weight(self.tokens, self.width)])
        for _ in range(self.depth):
            for part in self.random.choice(((self.attend, self.perceptron), (self.perceptron,), (self.attend,))):
                x = self.node("Add", [x, self.drop(part(self.normalize(x)))])
        x = self.normalize(x)
        if self.is_pooled:
            x = self.node("ReduceMean", [x], axes=[1], keepdims=0)
        if self.random.random() < 0.5:
            last = self.node("Transpose", [table], perm=[1, 0])
        else:
            last, self.tables = self.weight(self.width, self.vocabulary), ("table",)
        self.writer.node("MatMul", "head", [x, last], ["logits"])
        sentence = [] if self.is_pooled else [self.tokens]
        self.save(path, [helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", self.tokens])],
                  [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", *sentence, self.vocabulary])])

    def write_data(self, path, samples):
        values = np.random.RandomState(self.random.randrange(1 << 31))
        ids, label = (values.randint(0, self.vocabulary, (samples, self.tokens)).astype(np.int64) for _ in range(2))
        np.savez(path, ids=ids, label=label[:, 0] if self.is_pooled else label)


def random_model(random):
    return (RandomTokens if random.random() < 0.4 else RandomRows)(random)
