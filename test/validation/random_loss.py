"""Random graphs whose scalar output is a loss: a trunk over rows of features, and one of many ways to make a number of them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 17, 8
FEATURES = 4
SMOOTH = ("Tanh", "Sigmoid", "Erf", "Softplus", "Exp", "Sin", "Relu", "Abs", "Sqrt")

# What a loss is of its samples. A mean of independent samples is what data parallelism was made for.
KINDS = {
    "means": ("mean", "mean_of_squares", "cross_entropy", "mean_of_rows", "two_means", "scaled_mean"),
    "sums": ("sum", "sum_of_squares", "sum_and_mean", "cross_entropy_sum"),
    "quotients": ("weighted_mean", "weighted_by_reciprocal", "weighted_by_power", "root_of_mean", "log_of_mean", "product_of_means",
                  "square_of_mean", "dice", "sum_by_count"),
    "statistics": ("variance", "mean_over_batch", "normalized_over_batch", "correlation"),
    "maxima": ("maximum", "minimum", "maximum_of_rows", "log_of_sum_of_exponents"),
    "penalties": ("mean_and_penalty", "sum_and_penalty", "penalty_of_used", "mean_times_penalty", "root_and_penalty"),
    "pairs": ("contrast", "all_pairs", "softmax_over_batch", "running_sum", "neighbours"),
}


class RandomLoss:
    def __init__(self, random, kinds):
        self.random, self.nodes, self.initializers, self.count = random, [], [], 0
        self.values = np.random.RandomState(random.randrange(1 << 31))
        self.kind = random.choice([name for kind in kinds for name in KINDS[kind]])

    def node(self, op, *inputs, outputs=1, **attributes):
        self.count += 1
        names = [f"v{self.count}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=f"{op.lower()}{self.count}", **attributes))
        return names[0] if outputs == 1 else names

    def tensor(self, array, kind):
        self.count += 1
        name = f"{kind}{self.count}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def number(self, value):
        return self.node("Constant", value=numpy_helper.from_array(np.float32(value)))

    def integers(self, *values):
        return self.node("Constant", value=numpy_helper.from_array(np.array(values, np.int64)))

    def weight(self, *shape):
        return self.tensor(self.values.standard_normal(shape).astype(np.float32), "w")

    def linear(self, x, width, outputs):
        return self.node("Gemm", x, self.weight(outputs, width), self.weight(outputs), transB=1)

    def mean(self, x, **attributes):
        return self.node("ReduceMean", x, **attributes)

    def sum(self, x, axes=None, keepdims=0):
        return self.node("ReduceSum", x, *([self.integers(*axes)] if axes is not None else []), keepdims=keepdims)

    def block(self, x, width):
        kind = self.random.choice(("linear", "smooth", "residual", "softmax", "centred", "gated", "concat", "twice", "root"))
        if kind == "linear":
            outputs = self.random.choice((2, 3, 5))
            return self.node(self.random.choice(SMOOTH), self.linear(x, width, outputs)), outputs
        if kind == "smooth":
            return self.node(self.random.choice(SMOOTH), x), width
        if kind == "residual":
            return self.node("Add", x, self.node("Tanh", self.linear(x, width, width))), width
        if kind == "softmax":
            return self.node(self.random.choice(("Softmax", "LogSoftmax")), x, axis=1), width
        if kind == "centred":
            return self.node("Sub", x, self.mean(x, axes=[1], keepdims=1)), width
        if kind == "gated":
            return self.node("Mul", x, self.node("Sigmoid", self.linear(x, width, width))), width
        if kind == "concat":
            return self.node("Concat", x, self.linear(x, width, 2), axis=1), width + 2
        if kind == "twice":
            return self.node("Mul", x, x), width
        return self.node("Div", x, self.node("Add", self.number(1.5), self.node("ReduceL2", x, axes=[1], keepdims=1))), width

    def square(self, x):
        return self.node("Mul", x, x)

    def centred(self, x):
        return self.node("Sub", x, self.mean(x, axes=[0], keepdims=1))

    def loss(self, x, width):
        return getattr(self, self.kind)(x, width)

    # The kinds.

    def mean_of_squares(self, x, _):
        return self.mean(self.square(x), keepdims=0)

    def scaled_mean(self, x, _):
        return self.node("Mul", self.mean(x, keepdims=0), self.number(self.random.choice((0.5, 3.0))))

    def mean_of_rows(self, x, _):
        return self.mean(self.node("ReduceL2", x, axes=[1], keepdims=0), keepdims=0)

    def two_means(self, x, width):
        return self.node("Add", self.mean_of_squares(x, width), self.node("Mul", self.mean(x, keepdims=0), self.number(0.3)))

    def cross_entropy(self, x, width, reduction="mean"):
        logits = self.linear(x, width, 3)
        return self.node("SoftmaxCrossEntropyLoss", logits, "label", reduction=reduction)

    def cross_entropy_sum(self, x, width):
        return self.cross_entropy(x, width, "sum")

    def sum_of_squares(self, x, _):
        return self.sum(self.square(x))

    def sum_and_mean(self, x, _):
        return self.node("Add", self.sum(x), self.mean(self.square(x), keepdims=0))

    def weighted(self, x):
        return self.sum(self.node("Mul", x, "weight")), self.sum("weight")

    def weighted_mean(self, x, _):
        return self.node("Div", *self.weighted(x))

    def weighted_by_reciprocal(self, x, _):
        above, below = self.weighted(x)
        return self.node("Mul", above, self.node("Reciprocal", below))

    def weighted_by_power(self, x, _):
        above, below = self.weighted(x)
        return self.node("Mul", above, self.node("Pow", below, self.number(-1)))

    def root_of_mean(self, x, _):
        return self.node("Sqrt", self.mean(self.square(x), keepdims=0))

    def log_of_mean(self, x, _):
        return self.node("Log", self.mean(self.node("Exp", x), keepdims=0))

    def product_of_means(self, x, _):
        return self.node("Mul", self.mean(x, keepdims=0), self.mean(self.square(x), keepdims=0))

    def square_of_mean(self, x, _):
        return self.square(self.mean(x, keepdims=0))

    def dice(self, x, _):
        both = self.sum(self.node("Mul", x, "weight"))
        return self.node("Div", both, self.node("Add", self.sum(self.square(x)), self.sum(self.square("weight"))))

    def sum_by_count(self, x, _):
        count = self.node("Cast", self.node("Gather", self.node("Shape", x), self.integers(0), axis=0), to=TensorProto.FLOAT)
        return self.node("Squeeze", self.node("Div", self.sum(x), count))

    def variance(self, x, _):
        return self.mean(self.square(self.centred(x)), keepdims=0)

    def mean_over_batch(self, x, _):
        return self.sum(self.node("Tanh", self.mean(x, axes=[0], keepdims=0)))

    def normalized_over_batch(self, x, _):
        centred = self.centred(x)
        deviation = self.node("Sqrt", self.node("Add", self.mean(self.square(centred), axes=[0], keepdims=1), self.number(0.1)))
        return self.mean(self.node("Tanh", self.node("Div", centred, deviation)), keepdims=0)

    def correlation(self, x, _):
        return self.node("Div", self.sum(self.node("Mul", self.centred(x), self.centred("weight"))),
                         self.node("Sqrt", self.sum(self.square(self.centred(x)))))

    def maximum(self, x, _):
        return self.node("ReduceMax", x, keepdims=0)

    def minimum(self, x, _):
        return self.node("ReduceMin", self.square(x), keepdims=0)

    def maximum_of_rows(self, x, _):
        return self.mean(self.node("ReduceMax", x, axes=[1], keepdims=0), keepdims=0)

    def log_of_sum_of_exponents(self, x, _):
        return self.node("ReduceLogSumExp", x, keepdims=0)

    def penalty(self, name=None):
        """Of a variable: a number in which no sample has a part."""
        squares = self.sum(self.square(name or self.weight(3)))
        return self.node("Mul", squares, self.number(self.random.choice((0.5, 0.01))))

    def mean_and_penalty(self, x, _):
        return self.node("Add", self.mean(self.square(x), keepdims=0), self.penalty())

    def sum_and_penalty(self, x, _):
        return self.node("Add", self.penalty(), self.sum(self.square(x)))

    def penalty_of_used(self, x, width):
        factor = self.weight(width)
        return self.node("Add", self.mean(self.node("Mul", x, factor), keepdims=0), self.penalty(factor))

    def mean_times_penalty(self, x, _):
        return self.node("Mul", self.mean(x, keepdims=0), self.penalty())

    def root_and_penalty(self, x, width):
        return self.node("Sub", self.root_of_mean(x, width), self.node("Exp", self.penalty()))

    def contrast(self, x, _):
        scores = self.node("MatMul", x, self.node("Transpose", x, perm=[1, 0]))
        return self.mean(self.square(self.node("LogSoftmax", scores, axis=1)), keepdims=0)

    def all_pairs(self, x, _):
        difference = self.node("Sub", self.node("Unsqueeze", x, self.integers(0)), self.node("Unsqueeze", x, self.integers(1)))
        return self.mean(self.square(difference), keepdims=0)

    def softmax_over_batch(self, x, _):
        return self.mean(self.square(self.node("Softmax", x, axis=0)), keepdims=0)

    def running_sum(self, x, _):
        return self.mean(self.square(self.node("CumSum", x, self.node("Constant", value=numpy_helper.from_array(np.int64(0))))), keepdims=0)

    def neighbours(self, x, _):
        rest = self.node("Slice", x, self.integers(1), self.integers(1 << 40), self.integers(0))
        first = self.node("Slice", x, self.integers(0), self.integers(-1), self.integers(0))
        return self.mean(self.node("Mul", rest, first), keepdims=0)

    # The file.

    def write(self, path, blocks):
        x, width = self.linear("x", FEATURES, 3), 3
        for _ in range(blocks):
            x, width = self.block(x, width)
        if self.kind == "mean":
            result = self.mean(x, keepdims=0)
        elif self.kind == "sum":
            result = self.sum(x)
        else:
            result = self.loss(x, width)
        self.nodes.append(helper.make_node("Identity", [result], ["loss"], name="loss_"))
        used = {name for node in self.nodes for name in node.input}
        every = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", FEATURES]),
                 helper.make_tensor_value_info("weight", TensorProto.FLOAT, ["batch", 1]),
                 helper.make_tensor_value_info("label", TensorProto.INT64, ["batch"])]
        graph = helper.make_graph(self.nodes, "random", [info for info in every if info.name in used],
                                  [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], self.initializers)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION), path)
