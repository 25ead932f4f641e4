"""Random training graphs over rows, records, series or tokens, as ONNX files, and a dataset for each."""
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

    def numbers(self, *values):
        return self.writer.constant(self.name("numbers"), np.array(values, np.int64))

    def weight(self, *shape):
        """The sum is over the last dimension but one."""
        value = self.writer.random.standard_normal(shape) / np.sqrt(shape[-2])
        return self.writer.constant(self.name("weight"), value.astype(np.float32))

    def linear(self, x, width, outputs):
        return self.writer.linear(self.name("fc"), x, width, outputs), outputs

    def draw(self):
        """Of the values in a dataset."""
        return np.random.RandomState(self.random.randrange(1 << 31))

    def parameter(self, shape):
        return self.writer.constant(self.name("scale"), (1 + 0.1 * self.writer.random.standard_normal(shape)).astype(np.float32))


class RandomRows(RandomModel):
    """Blocks over rows of features, perhaps with a convolution in front."""

    def __init__(self, random):
        super().__init__(random)
        self.has_images = random.random() < 0.3
        self.shape = [random.choice((1, 2)), 6, 6] if self.has_images else [random.choice((3, 7, 16))]
        self.has_values = random.random() < 0.3  # as labels, not classes
        if self.has_values:
            self.loss = "loss=" + random.choice(("mse", "huber", "bce-with-logits"))

    def convolve(self, x):
        channels = self.random.choice((2, 4))
        x = self.writer.convolution(self.name("conv"), x, self.shape[0], channels)
        kind = self.random.choice(("batch", "batch", "instance", "none", "none"))
        if kind == "batch":
            self.takes_statistics = True
            x = self.writer.batch_normalization(self.name("bn"), x, channels, training=True)
        elif kind == "instance":
            x = self.node("InstanceNormalization", [x, self.parameter([channels]), self.parameter([channels])], epsilon=1e-2)
        x = self.node(self.random.choice(SMOOTH), [x])
        size = 6
        if self.random.random() < 0.3:  # by channels, of which each has its own
            weight = self.writer.he_normal(self.name("depthwise"), (channels, 1, 3, 3))
            x = self.node("Conv", [x, weight], kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=channels)
        if self.random.random() < 0.3:
            weight = self.writer.he_normal(self.name("transposed"), (channels, 2, 2, 2))
            x, channels, size = self.node("ConvTranspose", [x, weight], kernel_shape=[2, 2], strides=[2, 2]), 2, 12
        pool = self.random.choice(("AveragePool", "GlobalAveragePool", None))
        if pool == "AveragePool":
            x, size = self.node(pool, [x], kernel_shape=[2, 2], strides=[2, 2]), size // 2
        elif pool:
            x, size = self.node(pool, [x]), 1
        return self.node("Flatten", [x], axis=1), channels * size * size

    def block(self, x, width):
        """One of the blocks of which networks are made; returns its output and the width of it."""
        kind = self.random.choice(("plain", "residual", "gated", "concat", "scaled", "centred", "split", "normed", "grouped", "cut"))
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
        if kind == "normed":
            return self.node("LayerNormalization", [x, self.parameter([width]), self.parameter([width])], axis=-1, epsilon=1e-2), width
        if kind == "grouped":  # two halves, each with a matrix of its own
            x, width = self.linear(x, width, 8)
            halves = self.node("Transpose", [self.node("Reshape", [x, self.numbers(-1, 2, 4)])], perm=[1, 0, 2])
            y = self.node("Transpose", [self.node("MatMul", [halves, self.weight(2, 4, 3)])], perm=[1, 0, 2])
            return self.node("Reshape", [y, self.numbers(-1, 6)]), 6
        if kind == "cut":  # and put together in another order, with zeros between
            x, width = self.linear(x, width, 6)
            first = self.node("Slice", [x, self.numbers(0), self.numbers(4), self.numbers(1)])
            last = self.node("Slice", [x, self.numbers(2), self.numbers(6), self.numbers(1), self.numbers(2)])
            return self.node("Concat", [last, self.node("Pad", [first, self.numbers(0, 1, 0, 1)])], axis=1), 8
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
        values = self.draw()
        label = values.uniform(0, 1, [samples, CLASSES]).astype(np.float32) if self.has_values else values.randint(0, CLASSES, samples).astype(np.int64)
        np.savez(path, x=values.standard_normal([samples, *self.shape]).astype(np.float32), label=label)


class RandomRecords(RandomModel):
    """Numbers and categories, whose rows are looked up in tables: one or the sum of several."""

    loss = "loss=bce-with-logits"

    def __init__(self, random):
        super().__init__(random)
        self.sizes = [random.choice((7, 20, 31)) for _ in range(random.randint(1, 3))]  # of the tables
        self.rows = random.choice((None, 2, 3))  # of a sum
        self.width = random.choice((4, 5, 8))
        self.tables = tuple(f"table{place}" for place in range(len(self.sizes)))

    def look_up(self, name, size):
        table = self.writer.constant(name, self.writer.random.standard_normal((size, self.width)).astype(np.float32))
        found = self.node("Gather", [table, "of_" + name], axis=0)
        return self.node("ReduceSum", [found, self.numbers(1)], keepdims=0) if self.rows else found

    def write(self, path):
        x, _ = self.linear("x", 3, self.width)
        parts = [self.node("Tanh", [x])] + [self.look_up(name, size) for name, size in zip(self.tables, self.sizes)]
        if self.random.random() < 0.5:  # products of pairs, as deep recommenders have them
            stack = self.node("Concat", [self.node("Unsqueeze", [part, self.numbers(1)]) for part in parts], axis=1)
            pairs = self.node("MatMul", [stack, self.node("Transpose", [stack], perm=[0, 2, 1])])
            parts.append(self.node("Flatten", [pairs], axis=1))
            width = len(self.tables) * self.width + self.width + (len(self.tables) + 1) ** 2
        else:
            width = len(self.tables) * self.width + self.width
        x = self.node("Concat", parts, axis=1)
        for _ in range(self.depth):
            x, width = self.linear(x, width, self.random.choice((6, 8)))
            x = self.node(self.random.choice(SMOOTH), [x])
        self.writer.linear("head", x, width, 1, result="logits")
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3])]
        rows = [self.rows] if self.rows else []
        inputs += [helper.make_tensor_value_info("of_" + name, TensorProto.INT64, ["batch", *rows]) for name in self.tables]
        self.save(path, inputs, [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])])

    def write_data(self, path, samples):
        values = self.draw()
        rows = [self.rows] if self.rows else []
        ids = {"of_" + name: values.randint(0, size, [samples, *rows]).astype(np.int64) for name, size in zip(self.tables, self.sizes)}
        np.savez(path, x=values.standard_normal([samples, 3]).astype(np.float32), label=values.randint(0, 2, [samples, 1]).astype(np.float32), **ids)


class RandomSeries(RandomModel):
    """Recurrent layers over series of values; each has a label."""

    GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}

    def __init__(self, random):
        super().__init__(random)
        self.steps, self.features = random.choice((3, 5)), random.choice((2, 4))
        self.depth = random.randint(1, 2)

    def recur(self, x, width, outputs):
        """All steps, and the last of them."""
        op = self.random.choice(list(self.GATES))
        both = self.random.random() < 0.3
        directions, gates = 1 + both, self.GATES[op]
        operands = [x, self.weight(directions, gates * outputs, width), self.weight(directions, gates * outputs, outputs)]
        if self.random.random() < 0.7:
            operands.append(self.writer.constant(self.name("bias"), (0.1 * self.writer.random.standard_normal((directions, 2 * gates * outputs))).astype(np.float32)))
        name = self.name(op.lower())
        more = {"linear_before_reset": self.random.randint(0, 1)} if op == "GRU" else {}
        self.writer.node(op, name, operands, [name + "_all", name + "_last"], hidden_size=outputs, direction="bidirectional" if both else "forward", **more)
        every = self.node("Reshape", [self.node("Transpose", [name + "_all"], perm=[0, 2, 1, 3]), self.numbers(0, 0, -1)])
        last = self.node("Reshape", [self.node("Transpose", [name + "_last"], perm=[1, 0, 2]), self.numbers(0, -1)])
        return every, last, outputs * directions

    def write(self, path):
        x, width = self.node("Transpose", ["x"], perm=[1, 0, 2]), self.features
        for _ in range(self.depth):
            x, last, width = self.recur(x, width, self.random.choice((3, 4, 6)))
        self.writer.linear("head", last, width, CLASSES, result="logits")
        self.save(path, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", self.steps, self.features])],
                  [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", CLASSES])])

    def write_data(self, path, samples):
        values = self.draw()
        np.savez(path, x=values.standard_normal([samples, self.steps, self.features]).astype(np.float32),
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

    def project(self, x, width, outputs, has_bias=None):
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
            joined = self.project(x, self.width, 3 * self.width, has_bias=False)
            self.writer.node("Split", self.name("split"), [joined, self.numbers(*[self.width] * 3)], parts, axis=2)
        else:
            narrow = self.width // self.heads * self.groups
            parts = [self.project(x, self.width, outputs, has_bias=False) for outputs in (self.width, narrow, narrow)]
        query, key, value = (self.in_heads(part, order, heads) for part, order, heads in zip(
            parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), (self.heads, self.groups, self.groups)))
        scores = self.node("MatMul", [query, key])
        if self.random.random() < 0.5:
            mask = np.triu(np.full((1, 1, self.tokens, self.tokens), -1e4, np.float32), 1)
            scores = self.node("Add", [scores, self.writer.constant(self.name("mask"), mask)])
        shares = self.drop(self.node("Softmax", [scores], axis=-1))
        y = self.node("Transpose", [self.node("MatMul", [shares, value])], perm=[0, 2, 1, 3])
        return self.project(self.node("Reshape", [y, self.numbers(-1, self.tokens, self.width)]), self.width, self.width)

    def perceptron(self, x):
        inner = self.random.choice((6, 8, 12, 15))
        y = self.node(self.random.choice(SMOOTH), [self.project(x, self.width, inner)])
        if self.random.random() < 0.3:
            y = self.node("Mul", [y, self.project(x, self.width, inner)])
        return self.project(y, inner, self.width)

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
        values = self.draw()
        ids, label = (values.randint(0, self.vocabulary, (samples, self.tokens)).astype(np.int64) for _ in range(2))
        np.savez(path, ids=ids, label=label[:, 0] if self.is_pooled else label)


def random_model(random):
    kinds = {RandomRows: 4, RandomTokens: 4, RandomRecords: 2, RandomSeries: 1}
    return random.choices(list(kinds), kinds.values())[0](random)
