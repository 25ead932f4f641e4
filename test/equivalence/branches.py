"""Ifs that only a run decides, a Scan, and arithmetic on 8-bit numbers, each in a model that one rank and several train as numpy does:

    branches.py DIST_RUN FOLDER [NAME...]            ends with 1 unless they do

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np
from onnx import TensorProto, helper

from numpy_models import SOURCE, case, floats, main


def graph_of(name, nodes, result):
    return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(result, TensorProto.DOUBLE, None)])


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs, [output], name=output, **attributes)


# Two batches of which the first has a positive sum, the second a negative one.
TURNS = floats(24, 4)
TURNS[:12] += 1 - TURNS[:12].mean()
TURNS[12:] -= 1 + TURNS[12:].mean()


@case({"x": TURNS}, {"w": floats(4, 3)})
def another_branch_each_step(g):
    h = g("MatMul", "x", "w")
    positive = g("Greater", g("ReduceSum", "x", keepdims=0), 0.0)
    g("If", positive, out="y", then_branch=graph_of("yes", [node("Tanh", [h], "t")], "t"), else_branch=graph_of("no", [node("Neg", [h], "n")], "n"))
    return lambda x, w: np.tanh(x @ w) if x.sum() > 0 else -(x @ w)


@case({"x": floats(24, 4)}, {"w": -1 - np.abs(floats(4, 3))})
def no_gradient_of_what_is_not_taken(g):
    """The logarithm of negative numbers, and its gradient, would be no numbers."""
    positive = g("Greater", g("ReduceSum", "x", keepdims=1), 1e9)
    logs = [node("Log", ["w"], "logs"), node("MatMul", ["x", "logs"], "t")]
    g("If", g("Reshape", positive, np.array([1])), out="y", then_branch=graph_of("yes", logs, "t"),
      else_branch=graph_of("no", [node("MatMul", ["x", "w"], "n")], "n"))
    return lambda x, w: x @ w


@case({"x": floats(24, 4)}, {"w": floats(4, 3), "v": floats(3)})
def branches_in_branches(g):
    """Both see the variables around them; one result is what is outside, as it is."""
    h = g("MatMul", "x", "w")
    small = g("Less", g("ReduceSum", "x", keepdims=0), 1e9)
    inner = helper.make_node("If", [small], ["i"], name="i", then_branch=graph_of("a", [node("Mul", [h, "v"], "p")], "p"), else_branch=graph_of("b", [], h))
    g("If", small, out="y", then_branch=graph_of("yes", [inner, node("Sin", ["i"], "t")], "t"), else_branch=graph_of("no", [], h))
    return lambda x, w, v: np.sin(x @ w * v)


@case({"x": floats(24, 3, 4)}, {"w": floats(4, 4), "v": floats(4)})
def a_scan_of_steps(g):
    """From the last step to the first one; what is seen of each step is stacked in front of the last dimension."""
    body = [node("MatMul", ["step", "w"], "p"), node("Add", ["old", "p"], "q"), node("Tanh", ["q"], "new"), node("Mul", ["new", "v"], "seen")]
    double = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, None) for name in ("old", "step", "new", "seen")]
    start = g("Mul", g("ReduceSum", "x", np.array([1]), keepdims=0), "v")
    last, seen = g("Scan", start, "x", out=2, body=helper.make_graph(body, "step", double[:2], double[2:]), num_scan_inputs=1, scan_input_axes=[1],
                   scan_input_directions=[1], scan_output_axes=[1])
    g("Add", seen, g("Unsqueeze", last, np.array([1])), out="y")

    def compute(x, w, v):
        state, all_seen = x.sum(1) * v, []
        for step in range(2, -1, -1):
            state = np.tanh(state + x[:, step] @ w)
            all_seen.append(state * v)
        return np.stack(all_seen, 1) + state[:, None]

    return compute


@case({"x": TURNS}, {"w": floats(4, 6)})
def sums_along_an_axis_of_data(g):
    """Along the last dimension in the first batch, along the one before it in the second."""
    positive = g("Greater", g("ReduceSum", "x", keepdims=0), 0.0)
    parts = g("Reshape", g("MatMul", "x", "w"), np.array([-1, 2, 3]))
    g("CumSum", parts, g("Sub", g("Cast", positive, to=TensorProto.INT64), np.int64(2)), out="y", reverse=1)

    def compute(x, w):
        axis = -1 if x.sum() > 0 else -2
        return np.flip(np.cumsum(np.flip((x @ w).reshape(-1, 2, 3), axis), axis), axis)

    return compute


IMAGES = floats(24, 2, 5, 6)


@case({"x": IMAGES}, {"w": floats(2, 1, 1)}, opset=9)
def images_as_they_were_scaled_once(g):
    """Operators of the standard that operator set 10 took out of it."""
    scaled = g("ImageScaler", g("Mul", "x", "w"), bias=[0.5, -0.25], scale=2.0)
    g("Affine", g("Crop", g("Crop", scaled, border=[1, 0, 2, 1]), border=[0, 2, 0, 0], scale=[2, 3]), out="y", alpha=3.0, beta=0.125)
    return lambda x, w: 3 * (2 * x * w + np.array([0.5, -0.25])[:, None, None])[:, :, 2:4, 1:4] + 0.125


# 8-bit numbers: what is in front of the weights is quantized.

SCALES = {"a": np.float32(0.02), "b": np.float32(0.03), "y": np.float32(0.0513)}
ZEROS = {"a": np.uint8(100), "b": np.uint8(120), "y": np.uint8(90)}


def quantized(x, name):
    steps = np.rint(np.asarray(x, np.float32) / SCALES[name]) + np.float32(ZEROS[name])
    return np.clip(steps, 0, 255).astype(np.uint8)


def floats_of(q, name):
    return (q.astype(np.float32) - np.float32(ZEROS[name])) * SCALES[name]


def of_bytes(title, op, meaning, operands="ab", domain="com.microsoft", shape=(24, 4), **attributes):
    """A model that multiplies by `w` what `op` makes of quantized inputs; `meaning` says it of floats, or of quantized numbers."""
    data = {name: SOURCE.uniform(-2, 2, shape) for name in operands}

    def build(g):
        given = []
        for name in operands:
            narrow = g("Cast", name, to=TensorProto.FLOAT)
            given += [g("QuantizeLinear", narrow, SCALES[name], ZEROS[name]), SCALES[name], ZEROS[name]]
        made = g(op, *given, SCALES["y"], ZEROS["y"], domain=domain, **attributes)
        wide = g("Cast", g("DequantizeLinear", made, SCALES["y"], ZEROS["y"]), to=TensorProto.DOUBLE)
        g("Mul", wide, "w", out="y")

        def compute(w, **inputs):
            values = [floats_of(quantized(inputs[name], name), name) for name in operands]
            return floats_of(quantized(meaning(*values), "y"), "y").astype(np.float64) * w

        return compute

    build.__name__ = title
    case(data, {"w": floats(*shape[1:])})(build)


of_bytes("sum_of_bytes", "QLinearAdd", lambda a, b: a + b)
of_bytes("product_of_bytes", "QLinearMul", lambda a, b: a * b)
of_bytes("sigmoid_of_bytes", "QLinearSigmoid", lambda a: 1 / (1 + np.exp(-a)), "a")
of_bytes("leaky_relu_of_bytes", "QLinearLeakyRelu", lambda a: np.where(a < 0, np.float32(0.25) * a, a), "a", alpha=0.25)


def softmax(a):
    powers = np.exp(a - a.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


of_bytes("softmax_of_bytes", "QLinearSoftmax", softmax, "a", opset=15)


def means(a):
    return a.reshape(-1, 2, 2, 2, 2, 2).mean((3, 5), dtype=np.float32)


@case({"a": SOURCE.uniform(-2, 2, (24, 2, 4, 4))}, {"w": floats(2, 2, 2)})
def mean_of_windows_of_bytes(g):
    made = g("QuantizeLinear", g("Cast", "a", to=TensorProto.FLOAT), SCALES["a"], ZEROS["a"])
    made = g("QLinearAveragePool", made, SCALES["a"], ZEROS["a"], SCALES["y"], ZEROS["y"], domain="com.microsoft", kernel_shape=[2, 2], strides=[2, 2])
    g("Mul", g("Cast", g("DequantizeLinear", made, SCALES["y"], ZEROS["y"]), to=TensorProto.DOUBLE), "w", out="y")
    return lambda a, w: floats_of(quantized(means(floats_of(quantized(a, "a"), "a")), "y"), "y").astype(np.float64) * w


# Bytes that are compared, and bounds that are vectors.


@case({"x": np.floor(np.abs(floats(24, 4)) * 40)}, {"w": floats(4, 3)})
def largest_and_smallest_of_bytes(g):
    """x.to(torch.uint8).amax(1), and amin(1)"""
    narrow = g("Cast", "x", to=TensorProto.UINT8)
    most, least = (g("Cast", g(op, narrow, axes=[1]), to=TensorProto.DOUBLE) for op in ("ReduceMax", "ReduceMin"))
    g("Mul", g("Sub", most, g("Mul", least, 0.5)), g("MatMul", g("Mul", "x", 0.01), "w"), out="y")
    return lambda x, w: (x.max(1) - 0.5 * x.min(1))[:, None] * (0.01 * x @ w)


@case({"x": floats(24, 4)}, {"w": floats(4, 3)})
def bounds_of_one_element(g):
    """Some write min and max as vectors of one element, which the standard wants as scalars."""
    g("Clip", g("MatMul", "x", "w"), np.array([-0.75]), np.array([1.25]), out="y")
    return lambda x, w: np.clip(x @ w, -0.75, 1.25)


# Products of integers, which exporters leave in what counts or finds places.


@case({"x": np.floor(floats(24, 4) * 40)}, {"w": floats(4, 3)})
def products_of_integers(g):
    """Matrices, a matrix with a vector and a vector with a matrix, and stacks of them, beyond what a float holds exactly."""
    whole, steps = g("Cast", "x", to=TensorProto.INT64), np.array([[2**33, 1], [3, -(2**33)], [0, 5], [1, 1]])
    pairs = g("MatMul", whole, steps)
    sums = g("MatMul", pairs, np.array([1, -1]))
    stacks = g("MatMul", g("Unsqueeze", whole, np.array([1])), np.stack([steps]))
    of_row = g("MatMul", np.array([1, 2, 3, 4]), g("Unsqueeze", whole, np.array([2])))
    places = g("Mod", g("Add", sums, g("ReduceSum", stacks, np.array([1, 2]), keepdims=0)), np.array(1000003))
    numbers = g("Mul", g("Cast", g("Add", places, g("Squeeze", of_row, np.array([1]))), to=TensorProto.DOUBLE), 1e-6)
    g("Mul", g("Unsqueeze", numbers, np.array([1])), g("MatMul", g("Mul", "x", 0.01), "w"), out="y")

    def expected(x, w):
        rows = x.astype(np.int64)
        both = rows @ steps
        return ((both @ np.array([1, -1]) + both.sum(1)) % 1000003 + rows @ np.array([1, 2, 3, 4]))[:, None] * 1e-6 * (0.01 * x @ w)
    return expected


# Sizes that are floats for a while.


@case({"x": floats(24, 5)}, {"w": floats(5, 3)})
def sizes_and_places_as_floats(g):
    """n // 2 as older exporters divide, and torch.arange(n, dtype=torch.double)."""
    size, zero = g.size("x"), g("Cast", np.int64(0), to=TensorProto.DOUBLE)
    half = g("Cast", g("Floor", g("Div", g("Cast", size, to=TensorProto.FLOAT), np.float32(2))), to=TensorProto.INT64)
    middle = g("Unsqueeze", half, np.array([0]))
    places = g("Range", zero, g("Cast", size, to=TensorProto.DOUBLE), np.float64(1))
    h = g("Mul", g("MatMul", "x", "w"), g("Unsqueeze", places, np.array([1])))
    g("Mul", g("Slice", h, np.array([0]), middle, np.array([0])), g("Slice", h, middle, np.array([2**63 - 1]), np.array([0])), out="y")

    def compute(x, w):
        a, b = np.split(x @ w * np.arange(12)[:, None], 2)
        return a * b

    return compute


# What is told to do instead of a loop that ends when the data say so.


@case({"x": floats(24, 4)}, {"w": floats(4, 4)})
def a_loop_that_keeps_what_has_ended(g):
    """h = tanh(h @ w) of all samples, until the sum of their squares is small enough, six times at most."""
    body = [node("ReduceSumSquare", ["old"], "size", keepdims=0), node("Greater", ["size", "enough"], "goes"), node("MatMul", ["old", "w"], "p"),
            node("Tanh", ["p"], "t"), node("Where", ["goes", "t", "old"], "new"), node("Identity", ["on"], "more")]
    ins = [helper.make_tensor_value_info("at", TensorProto.INT64, []), helper.make_tensor_value_info("on", TensorProto.BOOL, []),
           helper.make_tensor_value_info("old", TensorProto.DOUBLE, None)]
    outs = [helper.make_tensor_value_info("more", TensorProto.BOOL, []), helper.make_tensor_value_info("new", TensorProto.DOUBLE, None)]
    g("Identity", np.float64(9), out="enough")
    g("Loop", np.int64(6), np.bool_(True), "x", out="y", body=helper.make_graph(body, "body", ins, outs))

    def compute(x, w):
        for _ in range(6):
            if (x * x).sum() > 9:
                x = np.tanh(x @ w)
        return x

    return compute


# One element of each sample, as exporters write h[torch.arange(n), i].


@case({"x": floats(24, 3, 4), "i": SOURCE.integers(0, 3, 24)}, {"w": floats(4, 4)})
def one_step_of_each_sample(g):
    """What is looked up was computed for all steps of all samples at once, the steps outermost, as nn.MultiheadAttention does."""
    steps = g("Reshape", g("Transpose", "x", perm=[1, 0, 2]), np.array([-1, 4]))
    h = g("Transpose", g("Reshape", g("MatMul", steps, "w"), np.array([3, -1, 4])), perm=[1, 0, 2])
    begins = g("Mul", g("Range", np.int64(0), g.size(h), np.int64(1)), g.size(h, 1))
    g("Gather", g("Flatten", h, axis=2), g("Add", begins, "i"), out="y", axis=0)
    return lambda x, i, w: (x @ w)[np.arange(12), i]


if __name__ == "__main__":
    main()
