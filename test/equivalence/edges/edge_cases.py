"""Functions at points where their slope is a matter of choice: kinks, ties, zeros, infinities, nothing to reduce. Each has its
nodes in ONNX, and what it is in PyTorch, as text, so that nobody needs PyTorch to read it.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

INF, NAN = np.inf, np.nan
LINE = [-INF, -1.5, -0.0, 0.0, 1.5, INF]
ROWS = [[0, 0, 0], [3, 0, 4], [0, -2, 0]]


class Case:
    """`inputs` are differentiated; `constants` are not. `nodes`: (operator, inputs, output, attributes); the last one gives the
    value, by its first output if there are several, with blanks between them. `slack`: how far off the gradient may be where large terms
    cancel, in f32. `instead`: what is wanted of an input where it is not what PyTorch 1.13 gives, and `because`."""

    slack = 1e-7

    def __init__(self, name, inputs, nodes, torch, constants=None, instead=None, because=None):
        self.name, self.torch, self.instead, self.because = name, torch, instead or {}, because
        self.inputs = {k: np.array(v, np.float64) for k, v in inputs.items()}
        self.constants = {k: np.array(v) for k, v in (constants or {}).items()}
        self.nodes = nodes

    def operators(self):
        return {node[0].split(".")[-1] for node in self.nodes}


def unary(operator, torch, points=None, name=None, instead=None, because=None, **attributes):
    node = (operator, ["x"], "y", attributes)
    return Case(name or operator, {"x": LINE if points is None else points}, [node], torch, instead=instead and {"x": instead}, because=because)


def beside(operator, torch):
    """An operator whose own gradient is 0, added to its operand."""
    return Case(operator, {"x": [-1.5, -0.5, 0, 0.5, 1, 2.5]}, [(operator, ["x"], "z", {}), ("Add", ["x", "z"], "y", {})], "x + " + torch)


def binary(operator, torch, a, b, name=None, instead=None, because=None):
    return Case(name or operator, {"a": a, "b": b}, [(operator, ["a", "b"], "y", {})], torch, instead=instead, because=because)


def power(exponent, points=None):
    return Case(f"Pow to {exponent}", {"x": points or [-2, -0.0, 0, 2, INF]}, [("Pow", ["x", "e"], "y", {})], f"x ** {exponent}", {"e": float(exponent)})


def reduce(operator, torch, rows, name=None, instead=None, because=None, **attributes):
    attributes = {"axes": [1], "keepdims": 0, **attributes}
    node = (operator, ["x"], "y", attributes)
    return Case(name or operator, {"x": rows}, [node], torch, instead=instead and {"x": instead}, because=because)


def entropy(name, torch, scores, labels, weights=None, instead=None, because=None, **attributes):
    constants = {"label": np.array(labels, np.int64)}
    if weights:
        constants["weight"] = weights
    node = ("SoftmaxCrossEntropyLoss", ["x", *constants], "y", attributes)
    return Case(name, {"x": scores}, [node], torch, constants, instead and {"x": instead}, because)


def sample(name, mode, padding, align):
    """Points at the ends of an image, at its pixels, and beyond."""
    points = [[[[-1, -1], [0, 0.5], [1, 1], [-1.5, 0.25], [2, -0.75], [0.75, 3.5]]]]
    names = {"mode": mode, "padding_mode": padding, "align_corners": int(align)}
    text = f"F.grid_sample(x, g, mode='{mode}', padding_mode='{padding}', align_corners={align})"
    case = Case(name, {"x": np.arange(12.0).reshape(1, 1, 3, 4) ** 1.5, "g": points}, [("GridSample", ["x", "g"], "y", names)], text)
    case.slack = 2e-4 if mode == "bicubic" else case.slack
    return case


def scatter(name, reduction, torch, x, updates, instead=None, because=None):
    node = ("ScatterElements", ["x", "i", "u"], "y", {"reduction": reduction})
    text = f"x.scatter_reduce(0, i, u, '{torch}')"
    return Case(name, {"x": x, "u": updates}, [node], text, {"i": np.array([0, 0, 1, 1, 2])}, instead, because)


FACTORS = [[2, 3, 4], [0, 3, 4], [0, 3, 0], [-1, 0.5, 2]]
TIES = [[1, 1, 0], [2, 3, 3], [5, 5, 5], [0, 1, 2]]
SCORES = [[0.5, -1, 2], [0, 0, 0]]
SQUARES = [("Mul", ["x", "x"], "s", {}), ("ReduceSum", ["s", "axis"], "n", {"keepdims": 1})]
CENTRED = [("ReduceMean", ["x"], "m", {"axes": [1], "keepdims": 1}), ("Sub", ["x", "m"], "d", {}), ("Mul", ["d", "d"], "s", {}),
           ("ReduceMean", ["s"], "v", {"axes": [1], "keepdims": 0})]
AXIS = {"axis": np.array([1])}
PART = [("Slice", ["x", "first", "last"], "p", {})]
NOTHING = {"first": np.array([2]), "last": np.array([2])}

CASES = [
    # Kinks.
    unary("Relu", "F.relu(x)"),
    unary("LeakyRelu", "F.leaky_relu(x, 0.25)", alpha=0.25),
    Case("PRelu", {"x": [LINE], "w": [0.25] * 6}, [("PRelu", ["x", "w"], "y", {})], "F.prelu(x, w)"),
    unary("Elu", "F.elu(x, 0.5)", alpha=0.5),
    unary("Selu", "F.selu(x)"),
    unary("Celu", "F.celu(x, 2.0)", alpha=2.0),
    unary("HardSigmoid", "F.hardsigmoid(x)", [-INF, -3, 0, 3, INF], alpha=1 / 6, beta=0.5),
    unary("HardSwish", "F.hardswish(x)", [-4, -3, 0, 3, 4], instead=[0, 0, 1.5, 4, 5], because="PyTorch since 2.7; before, -0.5 and 1.5 at the corners"),
    unary("ThresholdedRelu", "F.threshold(x, 1.0, 0.0)", [-INF, 0, 1, 2, INF], alpha=1.0),
    unary("Shrink", "F.hardshrink(x, 0.5)", [-1, -0.5, 0, 0.5, 1], lambd=0.5),
    unary("Shrink", "F.softshrink(x, 0.5)", [-1, -0.5, 0, 0.5, 1], name="Shrink with a bias", lambd=0.5, bias=0.5),
    unary("Abs", "x.abs()"),
    beside("Sign", "x.sign()"),
    beside("Floor", "x.floor()"),
    beside("Ceil", "x.ceil()"),
    beside("Round", "x.round()"),
    Case("Clip", {"x": [-INF, -2, -1, 0, 1, 2, INF]}, [("Clip", ["x", "low", "high"], "y", {})], "x.clamp(-1.0, 1.0)", {"low": -1.0, "high": 1.0}),
    Case("Clip from below", {"x": [-INF, -2, -1, 0]}, [("Clip", ["x", "low"], "y", {})], "x.clamp(min=-1.0)", {"low": -1.0}),
    Case("Clip from above", {"x": [0, 1, 2, INF]}, [("Clip", ["x", "", "high"], "y", {})], "x.clamp(max=1.0)", {"high": 1.0}),
    # Ties.
    binary("Max", "torch.maximum(a, b)", [1, 2, 3, INF, -INF, 0.0], [1, 3, 2, INF, -INF, -0.0]),
    binary("Min", "torch.minimum(a, b)", [1, 2, 3, INF, -INF, 0.0], [1, 3, 2, INF, -INF, -0.0]),
    binary("Max", "torch.maximum(a, b)", [[1, 2], [0, 0]], [1, 0], name="Max of rows"),
    Case("Max of three", {"a": [1, 1, 1, 0], "b": [1, 1, 0, 2], "c": [1, 0, 1, 1]}, [("Max", ["a", "b", "c"], "y", {})], "torch.stack([a, b, c]).amax(0)"),
    Case("Min of three", {"a": [1, 1, 1, 0], "b": [1, 1, 2, 2], "c": [1, 3, 1, 1]}, [("Min", ["a", "b", "c"], "y", {})], "torch.stack([a, b, c]).amin(0)"),
    reduce("ReduceMax", "x.amax(1)", TIES),
    reduce("ReduceMin", "x.amin(1)", TIES),
    reduce("ReduceMax", "x.amax((0, 1))", TIES, name="ReduceMax of all", axes=[0, 1]),
    reduce("ReduceMax", "x.amax(1)", [[INF, INF, 0], [-INF, -INF, -INF]], name="ReduceMax of infinities"),
    unary("MaxPool", "F.max_pool2d(x, 2)", [[[[1, 1, 0, 0], [1, 0, 0, 0], [2, 3, -INF, -INF], [3, 2, -INF, -INF]]]], kernel_shape=[2, 2], strides=[2, 2]),
    unary("MaxPool", "F.max_pool2d(x, 3, stride=2, padding=1)", [[[[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]]]], name="MaxPool with padding",
          kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
    unary("GlobalMaxPool", "F.adaptive_max_pool2d(x, 1)", [[[[1, 2], [2, 0]], [[0, 0], [0, 0]]]]),
    # Windows that reach beyond the padding.
    unary("AveragePool", "F.avg_pool2d(x, 2, ceil_mode=True)", np.arange(25.0).reshape(1, 1, 5, 5), kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1,
          count_include_pad=1),
    unary("AveragePool", "F.avg_pool2d(x, 3, padding=1, ceil_mode=True)", np.arange(48.0).reshape(1, 2, 4, 6), name="AveragePool with padding",
          kernel_shape=[3, 3], strides=[3, 3], pads=[1, 1, 1, 1], ceil_mode=1, count_include_pad=1),
    unary("AveragePool", "F.avg_pool1d(x, 4, stride=3, padding=2, ceil_mode=True)", np.arange(9.0).reshape(1, 1, 9), name="AveragePool of a line",
          kernel_shape=[4], strides=[3], pads=[2, 2], ceil_mode=1, count_include_pad=1),
    # Order.
    Case("TopK", {"x": TIES}, [("TopK", ["x", "k"], "y i", {})], "x.sort(stable=True, dim=-1, descending=True)[0][:, :2]", {"k": np.array([2])}),
    Case("TopK of the smallest", {"x": TIES}, [("TopK", ["x", "k"], "y i", {"largest": 0})], "x.sort(stable=True, dim=-1)[0][:, :2]", {"k": np.array([2])}),
    Case("TopK of all", {"x": [[1, INF, -INF, 0, NAN]]}, [("TopK", ["x", "k"], "y i", {})], "x.sort(stable=True, dim=-1, descending=True)[0]", {"k": np.array([5])}),
    scatter("ScatterElements max", "max", "amax", [1, 2, 3, 4], [1, 0, 5, 5, 2]),
    scatter("ScatterElements min", "min", "amin", [1, 2, 3, 4], [1, 5, 0, 0, 3]),
    scatter("ScatterElements mul", "mul", "prod", [1, 2, 0, 4], [0, 3, 0, 0, 5]),
    # Remainders and rounding.
    Case("Mod", {"a": [5.5, -5.5, 6, -6, 0, 1], "b": [2, 2, 3, 3, -1.5, INF]}, [("Mod", ["a", "b"], "y", {"fmod": 1})], "torch.fmod(a, b)"),
    Case("QuantizeLinear", {"x": [-70, -65.75, -65.5, -65.25, 0, 0.25, 0.75, 62, 62.25, 62.5, 100]},
         [("QuantizeLinear", ["x", "s", "z"], "q", {}), ("DequantizeLinear", ["q", "s", "z"], "y", {})],
         "torch.fake_quantize_per_tensor_affine(x, 0.5, 3, -128, 127)", {"s": 0.5, "z": np.int8(3)}),
    Case("QuantizeLinear of channels", {"x": [[-1, 0.3, 200], [-1, 0.3, 500]]},
         [("QuantizeLinear", ["x", "s", "z"], "q", {"axis": 0}), ("DequantizeLinear", ["q", "s", "z"], "y", {"axis": 0})],
         "torch.fake_quantize_per_channel_affine(x, torch.tensor([0.5, 2.0]).to(x.dtype).float(), torch.tensor([0, 128], dtype=torch.int32), 0, 0, 255)",
         {"s": np.array([0.5, 2.0]), "z": np.array([0, 128], np.uint8)}),
    # Points between pixels.
    sample("GridSample", "bilinear", "zeros", False),
    sample("GridSample at pixels", "bilinear", "zeros", True),
    sample("GridSample up to the border", "bilinear", "border", True),
    sample("GridSample up to the edge", "bilinear", "border", False),
    sample("GridSample reflected", "bilinear", "reflection", True),
    sample("GridSample reflected at edges", "bilinear", "reflection", False),
    sample("GridSample nearest", "nearest", "reflection", False),
    sample("GridSample cubic", "bicubic", "border", False),
    sample("GridSample cubic, zeros", "bicubic", "zeros", True),
    # Zeros and infinities.
    unary("Reciprocal", "x.reciprocal()"),
    unary("Sqrt", "x.sqrt()", [-1, -0.0, 0, 4, INF]),
    unary("Log", "x.log()", [-1, 0, 2, INF]),
    unary("Exp", "x.exp()"),
    unary("Softplus", "F.softplus(x)", [-INF, -800, 0, 800, INF]),
    unary("Softsign", "F.softsign(x)", instead=[0, 2 / 2.5**2, 3, 4, 5 / 2.5**2, 0], because="the limit; PyTorch subtracts infinities"),
    unary("Sigmoid", "x.sigmoid()", [-INF, -800, 0, 800, INF]),
    unary("Tanh", "x.tanh()"),
    unary("Erf", "x.erf()"),
    unary("com.microsoft.Gelu", "F.gelu(x)", [-30, -0.0, 0, 30], name="Gelu"),
    unary("com.microsoft.FastGelu", "F.gelu(x, approximate='tanh')", [-30, -0.0, 0, 30], name="Gelu by tanh"),
    unary("Sin", "x.sin()"),
    unary("Cos", "x.cos()"),
    unary("Tan", "x.tan()"),
    unary("Atan", "x.atan()"),
    unary("Asin", "x.asin()", [-1, 0, 1]),
    unary("Acos", "x.acos()", [-1, 0, 1]),
    unary("Sinh", "x.sinh()"),
    unary("Cosh", "x.cosh()"),
    unary("Asinh", "x.asinh()"),
    unary("Acosh", "x.acosh()", [1, 2, INF]),
    unary("Atanh", "x.atanh()", [-1, 0, 1]),
    binary("Mul", "a * b", [0, 0, INF, 2], [0, INF, INF, 3]),
    binary("Div", "a / b", [0, 1, 0, INF, 1, 2], [0, 0, 1, 2, INF, 4]),
    *[power(exponent) for exponent in (0, 1, 2, 3, -1, 1.5, -0.5)],
    power(0.5, [-2, 0, 4, INF]),
    binary("Pow", "a ** b", [0, 0, 0, 2, -2, INF, 1], [0, 2, -1, 0, 2, 0, INF], name="Pow with a gradient of its exponent"),
    binary("Pow", "a ** b", [[0, 1, 2], [0, 4, 0.5]], [0, 0.5, 2], name="Pow to the columns' exponents"),
    reduce("ReduceProd", "x.prod(1)", FACTORS),
    reduce("ReduceProd", "x.prod()", [[2, 0], [3, 5]], name="ReduceProd of all", axes=[0, 1]),
    Case("Where", {"a": [1, NAN, INF, 0], "b": [NAN, 2, 0, INF]}, [("Where", ["c", "a", "b"], "y", {})], "torch.where(c, a, b)",
         {"c": np.array([True, False, False, True])}),
    Case("Where of a Log", {"x": [1, 0, -1]}, [("Log", ["x"], "l", {}), ("Where", ["c", "l", "x"], "y", {})], "torch.where(c, x.log(), x)",
         {"c": np.array([True, False, False])}),
    # Norms of zeros.
    reduce("ReduceL1", "x.norm(1, 1)", ROWS),
    reduce("ReduceL2", "x.norm(2, 1)", ROWS),
    reduce("ReduceSumSquare", "(x * x).sum(1)", ROWS),
    reduce("ReduceLogSum", "x.sum(1).log()", ROWS[:2]),
    reduce("ReduceLogSumExp", "x.logsumexp(1)", [[0, 0, -INF], [1000, 1000, 0], [-1000, -1000, -1000]]),
    Case("LpPool", {"x": [[[[0, 0, 3, 4], [0, 0, 0, 0]]]]}, [("LpPool", ["x"], "y", {"kernel_shape": [2, 2], "strides": [2, 2]})], "F.lp_pool2d(x, 2, 2)"),
    unary("GlobalLpPool", "x.norm(2, 2, keepdim=True)", [[[3, 0, 4], [0, 0, 0]]]),
    Case("norm as it is written", {"x": ROWS}, [*SQUARES, ("Sqrt", ["n"], "y", {})], "x.norm(2, 1, keepdim=True)", AXIS),
    Case("norm by a power", {"x": ROWS}, [("Pow", ["x", "two"], "s", {}), ("ReduceSum", ["s", "axis"], "n", {}), ("Pow", ["n", "half"], "y", {})],
         "x.norm(2, 1, keepdim=True)", {**AXIS, "two": 2.0, "half": 0.5}),
    Case("norm of power 3", {"x": ROWS}, [("Abs", ["x"], "a", {}), ("Pow", ["a", "p"], "s", {}), ("ReduceSum", ["s", "axis"], "n", {}),
                                          ("Pow", ["n", "r"], "y", {})], "x.norm(3, 1, keepdim=True)", {**AXIS, "p": 3.0, "r": 1 / 3}),
    Case("normalize", {"x": ROWS}, [("ReduceL2", ["x"], "n", {"axes": [1]}), ("Clip", ["n", "low"], "c", {}), ("Div", ["x", "c"], "y", {})],
         "F.normalize(x, eps=1e-6)", {"low": 1e-6}),
    Case("cosine similarity", {"a": ROWS, "b": [[1, 2, 2], [0, 0, 0], [1, 1, 1]]},
         [("Mul", ["a", "b"], "p", {}), ("ReduceSum", ["p", "axis"], "cross", {"keepdims": 0}), ("Mul", ["a", "a"], "aa", {}),
          ("ReduceSum", ["aa", "axis"], "an", {"keepdims": 0}), ("Mul", ["b", "b"], "bb", {}), ("ReduceSum", ["bb", "axis"], "bn", {"keepdims": 0}),
          ("Mul", ["an", "bn"], "nn", {}), ("Sqrt", ["nn"], "n", {}), ("Max", ["n", "low"], "d", {}), ("Div", ["cross", "d"], "y", {})],
         "(a * b).sum(1) / torch.maximum(a.norm(2, 1) * b.norm(2, 1), torch.tensor(2.0 ** -10))", {**AXIS, "low": 2.0**-10}),
    Case("deviation", {"x": [[1, 1, 1], [1, 2, 4]]}, [*CENTRED, ("Sqrt", ["v"], "y", {})], "x.std(1, unbiased=False)"),
    Case("deviation without bias", {"x": [[1, 1, 1], [1, 2, 4]]},
         [*CENTRED, ("Mul", ["v", "three"], "w", {}), ("Div", ["w", "two"], "u", {}), ("Sqrt", ["u"], "y", {})], "x.std(1)", {"three": 3.0, "two": 2.0}),
    # Probabilities of what cannot be.
    unary("Softmax", "F.softmax(x, -1)", [[0, -INF, 0], [800, 800, -800]], axis=-1),
    unary("LogSoftmax", "F.log_softmax(x, -1)", [[0, -INF, 0], [800, 800, -800]], axis=-1),
    # Nothing that counts.
    entropy("all labels ignored", "F.cross_entropy(x, label)", SCORES, [-100, -100], ignore_index=-100),
    entropy("all weighted labels ignored", "F.cross_entropy(x, label, weight)", SCORES, [-100, -100], [0.5, 1.0, 2.0], ignore_index=-100),
    entropy("some labels ignored", "F.cross_entropy(x, label)", SCORES, [2, -100], ignore_index=-100),
    entropy("all labels ignored, sum", "F.cross_entropy(x, label, reduction='sum')", SCORES, [-100, -100], ignore_index=-100, reduction="sum"),
    entropy("all labels ignored, each", "F.cross_entropy(x, label, reduction='none')", SCORES, [-100, -100], ignore_index=-100, reduction="none"),
    entropy("labels without weight", "F.cross_entropy(x, label, weight)", SCORES, [1, 1], [1.0, 0.0, 1.0], instead=[0] * 6,
            because="what does not count has no gradient; PyTorch divides by 0"),
    entropy("scores that cannot be", "F.cross_entropy(x, label)", [[0.5, -INF, 2], [0, -INF, -INF]], [2, 0], ignore_index=-100),
    Case("likelihoods, all labels ignored", {"x": SCORES}, [("LogSoftmax", ["x"], "l", {"axis": 1}),
                                                             ("NegativeLogLikelihoodLoss", ["l", "label"], "y", {"ignore_index": -100})],
         "F.nll_loss(F.log_softmax(x, 1), label)", {"label": np.array([-100, -100])}),
    Case("mean of nothing", {"x": [1, 2, 3]}, [*PART, ("ReduceMean", ["p"], "y", {"keepdims": 0})], "x[2:2].mean()", NOTHING),
    Case("product of nothing", {"x": [1, 2, 3]}, [*PART, ("ReduceProd", ["p"], "y", {"keepdims": 0})], "x[2:2].prod()", NOTHING),
    Case("norm of nothing", {"x": [1, 2, 3]}, [*PART, ("ReduceL2", ["p"], "y", {"keepdims": 0})], "x[2:2].norm()", NOTHING),
    Case("Slice to the least integer", {"x": [1, 2, 3, 4]}, [("Slice", ["x", "first", "last", "axis", "step"], "y", {})], "x.flip(0)",
         {"first": np.array([-1]), "last": np.array([-2**63]), "axis": np.array([0]), "step": np.array([-1])}),
]
