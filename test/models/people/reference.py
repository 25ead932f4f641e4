"""Computes graphs with PyTorch, operator by operator as the standard of their operator set says, in f64, and trains them: an oracle for the forms
that no PyTorch module wrote. It reads the file as any reader would, and knows nothing of Tutti.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper

import samples

WIDE = torch.float64
TO = {1: WIDE, 6: torch.int64, 7: torch.int64, 9: torch.bool, 10: WIDE, 11: WIDE}  # all floats in f64, all integers in i64


def typed(array):
    tensor = torch.from_numpy(np.array(array))
    return tensor.to(WIDE) if tensor.is_floating_point() else tensor if tensor.dtype == torch.bool else tensor.long()


def axes_of(a, axes):
    """Of a reduction, Squeeze and the like: an attribute or an input; none for all."""
    return list(a["axes"]) if "axes" in a else None if axes is None else axes.tolist()


def reduction(function):
    def compute(a, x, axes=None):
        chosen = axes_of(a, axes) or list(range(x.ndim))
        return function(x, [axis % x.ndim for axis in chosen], bool(a.get("keepdims", 1)))
    return compute


def product(x, axes, keep):
    for axis in sorted(axes, reverse=True):
        x = x.prod(axis, keepdim=keep)
    return x


def unsqueeze(a, x, axes=None):
    for axis in sorted(axes_of(a, axes)):
        x = x.unsqueeze(axis)
    return x


def squeeze(a, x, axes=None):
    for axis in sorted((axis % x.ndim for axis in axes_of(a, axes)), reverse=True):
        x = x.squeeze(axis)
    return x


def slices(a, x, starts=None, ends=None, axes=None, steps=None):
    starts, ends = (a[key] if key in a else part.tolist() for key, part in (("starts", starts), ("ends", ends)))
    axes = a.get("axes") or (list(range(len(starts))) if axes is None else axes.tolist())
    steps = [1] * len(starts) if steps is None else steps.tolist()
    for start, end, axis, step in zip(starts, ends, axes, steps):
        assert step == 1
        x = x[(slice(None),) * (axis % x.ndim) + (slice(start, end),)]
    return x


def reshape(a, x, shape):
    return x.reshape([x.shape[i] if size == 0 and not a.get("allowzero") else size for i, size in enumerate(shape.tolist())])


def softmax(function, default):
    """Before operator set 13 over all dimensions from `axis` on."""
    def compute(a, x):
        if a["opset"] >= 13:
            return function(x, a.get("axis", -1))
        axis = a.get("axis", default) % x.ndim
        return function(x.flatten(axis), axis).reshape(x.shape)
    return compute


def gemm(a, x, y, z=None):
    x, y = x.t() if a.get("transA") else x, y.t() if a.get("transB") else y
    result = a.get("alpha", 1.0) * (x @ y)
    return result if z is None else result + a.get("beta", 1.0) * z


def explicit_pads(a, x, kernel):
    """Pads of the images so that an operator without pads follows."""
    strides = a.get("strides", [1] * len(kernel))
    if a.get("auto_pad", b"NOTSET") in (b"SAME_UPPER", b"SAME_LOWER"):
        total = [max((-(-size // s) - 1) * s + k - size, 0) for size, s, k in zip(x.shape[2:], strides, kernel)]
        begin = [t // 2 if a["auto_pad"] == b"SAME_UPPER" else t - t // 2 for t in total]
        return begin, [t - b for t, b in zip(total, begin)]
    pads = a.get("pads", [0] * (2 * len(kernel)))
    return pads[:len(kernel)], pads[len(kernel):]


def padded(x, begin, end, value=0.0):
    order = [size for pair in reversed(list(zip(begin, end))) for size in pair]
    return F.pad(x, order, value=value)


def convolution(a, x, w, b=None):
    x = padded(x, *explicit_pads(a, x, w.shape[2:]))
    function = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[x.ndim]
    return function(x, w, b, tuple(a.get("strides", [1] * (x.ndim - 2))), 0, tuple(a.get("dilations", [1] * (x.ndim - 2))), a.get("group", 1))


def max_pool(a, x):
    x = padded(x, *explicit_pads(a, x, a["kernel_shape"]), value=float("-inf"))
    return F.max_pool2d(x, a["kernel_shape"], a.get("strides", [1, 1]), 0, 1, bool(a.get("ceil_mode")))


def average_pool(a, x):
    assert not any(map(any, explicit_pads(a, x, a["kernel_shape"])))
    return F.avg_pool2d(x, a["kernel_shape"], a.get("strides", [1, 1]))


def batch_norm(a, x, scale, shift, mean, variance):
    """With the statistics of the batch, whatever the file says: a recipe trains inference models in training mode."""
    dimensions = [axis for axis in range(x.ndim) if axis != 1]
    mean, variance = x.mean(dimensions), x.var(dimensions, unbiased=False)
    shape = [1, -1] + [1] * (x.ndim - 2)
    y = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + a.get("epsilon", 1e-5)) * scale.view(shape) + shift.view(shape)
    return (y, *[None] * (a["outputs"] - 1)) if a["outputs"] > 1 else y


def layer_norm(a, x, scale, shift=None):
    return F.layer_norm(x, x.shape[a.get("axis", -1) % x.ndim:], scale, shift, a.get("epsilon", 1e-5))


def gru(a, x, w, r, b):
    assert a.get("linear_before_reset") and a["direction"] == b"bidirectional"
    outputs = []
    for d in range(2):
        steps, hidden, h = range(x.shape[0]), a["hidden_size"], x.new_zeros(x.shape[1], a["hidden_size"])
        states = [None] * x.shape[0]
        for t in reversed(steps) if d else steps:
            from_x, from_h = (x[t] @ w[d].t() + b[d, :3 * hidden]).chunk(3, 1), (h @ r[d].t() + b[d, 3 * hidden:]).chunk(3, 1)
            update, reset = torch.sigmoid(from_x[0] + from_h[0]), torch.sigmoid(from_x[1] + from_h[1])
            h = (1 - update) * torch.tanh(from_x[2] + reset * from_h[2]) + update * h
            states[t] = h
        outputs.append(torch.stack(states))
    return torch.stack(outputs, 1), None


def lstm(a, x, w, r, b, lengths=None, h=None, c=None):
    assert a.get("direction", b"forward") == b"forward" and lengths is None
    hidden = a["hidden_size"]
    h = x.new_zeros(x.shape[1], hidden) if h is None else h[0]
    c = x.new_zeros(x.shape[1], hidden) if c is None else c[0]
    states = []
    for t in range(x.shape[0]):
        i, o, f, g = (x[t] @ w[0].t() + h @ r[0].t() + b[0, :4 * hidden] + b[0, 4 * hidden:]).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        states.append(h)
    return torch.stack(states)[:, None], h[None]


def resize(a, x, roi=None, scales=None):
    if a.get("mode", b"nearest") == b"nearest":
        for axis, scale in enumerate((a["scales"] if scales is None else scales.tolist())):
            x = x.repeat_interleave(int(scale), axis)
        return x
    assert a["coordinate_transformation_mode"] == b"half_pixel"
    return F.interpolate(x, scale_factor=scales.tolist()[2:], mode="bilinear", align_corners=False)


def pad(a, x, pads=None, value=None):
    pads = a["pads"] if pads is None else pads.tolist()
    return padded(x, pads[:x.ndim], pads[x.ndim:], a.get("value", 0.0) if value is None else value.item())


def split(a, x, sizes=None):
    axis = a.get("axis", 0)
    sizes = a.get("split", -(-x.shape[axis] // a["outputs"])) if sizes is None else sizes.tolist()
    return tuple(torch.split(x, sizes, a.get("axis", 0)))


def dropout(a, x, ratio=None, trains=None):
    is_drawn = a.get("ratio") and not a.get("is_test") if ratio is None else trains and ratio
    assert not is_drawn, "masks are not defined by the standard"
    return (x, None)


def response_norm(a, x):
    return x / (a.get("bias", 1.0) + a["alpha"] / a["size"] * sum(
        F.pad(x * x, (0, 0, 0, 0, a["size"] // 2, a["size"] // 2))[:, i:i + x.shape[1]] for i in range(a["size"]))) ** a["beta"]


def attention(a, query, key, value):
    heads, shared = a["q_num_heads"], a["kv_num_heads"]
    query, key, value = (x.view(*x.shape[:2], n, -1).transpose(1, 2) for x, n in ((query, heads), (key, shared), (value, shared)))
    key, value = (x.repeat_interleave(heads // shared, 1) for x in (key, value))
    scores = query @ key.transpose(2, 3) / query.shape[-1] ** 0.5
    if a.get("is_causal"):
        scores = scores + torch.full(scores.shape[-2:], float("-inf")).triu(1)
    mixed = torch.softmax(scores, -1) @ value
    return mixed.transpose(1, 2).flatten(2)


def skip_norm(a, x, skip, gamma, beta, bias):
    return F.layer_norm(x + skip + bias, gamma.shape, gamma, beta, a["epsilon"])


def split_to_sequence(a, x, sizes=None):
    axis = a.get("axis", 0)
    if sizes is None:
        return list(x.split(1, axis)) if a.get("keepdims", 1) else list(x.unbind(axis))
    return list(torch.split(x, sizes.tolist(), axis))


def expand(a, x, shape):
    return x.expand(torch.broadcast_shapes(x.shape, tuple(shape.tolist())))


def hardmax(a, x):
    axis = a.get("axis", -1)
    assert axis % x.ndim == x.ndim - 1
    return F.one_hot(x.argmax(-1), x.shape[-1]).to(WIDE)


def one_hot(a, places, depth, values):
    return F.one_hot(places, int(depth)).to(WIDE) * (values[1] - values[0]) + values[0]


def gather(a, x, places):
    axis, rank = a.get("axis", 0) % x.ndim, places.ndim
    found = torch.index_select(x, axis, (places % x.shape[axis]).reshape(-1))
    return found.reshape(*x.shape[:axis], *places.shape, *x.shape[axis + 1:]) if rank != 1 else found


def shape(a, x):
    return torch.tensor(x.shape[a.get("start", 0):a.get("end")])


def clip(a, x, low=None, high=None):
    low, high = a.get("min", low), a.get("max", high)
    return torch.clamp(x, None if low is None else float(low), None if high is None else float(high))


def tanh_gelu(a, x):
    return F.gelu(x, approximate=a.get("approximate", b"none").decode())


def binary(function):
    """Before operator set 7 the second operand lies along dimension `axis` and those after it."""
    def compute(a, x, y):
        if a["opset"] < 7 and a.get("broadcast") and "axis" in a:
            y = y.reshape([*y.shape, *[1] * (x.ndim - y.ndim - a["axis"] % x.ndim)])
        return function(x, y)
    return compute


def prelu(a, x, slope):
    """Before operator set 7 slopes are those of channels."""
    if a["opset"] < 7 and slope.ndim == 1:
        slope = slope.reshape([-1] + [1] * (x.ndim - 2))
    return torch.where(x < 0, slope * x, x)


OPERATORS = {
    "Add": binary(lambda x, y: x + y), "Sub": lambda a, x, y: x - y, "Mul": binary(lambda x, y: x * y), "Div": lambda a, x, y: x / y, "PRelu": prelu,
    "Pow": lambda a, x, y: x ** y, "Neg": lambda a, x: -x, "Sqrt": lambda a, x: x.sqrt(), "Erf": lambda a, x: torch.erf(x),
    "Reciprocal": lambda a, x: 1 / x, "Relu": lambda a, x: F.relu(x), "Tanh": lambda a, x: x.tanh(), "Sigmoid": lambda a, x: x.sigmoid(),
    "LeakyRelu": lambda a, x: F.leaky_relu(x, a.get("alpha", 0.01)), "Gelu": tanh_gelu, "Identity": lambda a, x: x,
    "HardSigmoid": lambda a, x: torch.clamp(a.get("alpha", 0.2) * x + a.get("beta", 0.5), 0, 1), "Hardmax": hardmax,
    "Softmax": softmax(torch.softmax, 1), "LogSoftmax": softmax(torch.log_softmax, 1), "MatMul": lambda a, x, y: x @ y, "Gemm": gemm,
    "Einsum": lambda a, *x: torch.einsum(a["equation"].decode(), *x), "Conv": convolution, "MaxPool": max_pool, "AveragePool": average_pool,
    "ConvTranspose": lambda a, x, w: F.conv_transpose2d(x, w, stride=a["strides"]), "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
    "GlobalMaxPool": lambda a, x: x.amax((2, 3), keepdim=True), "BatchNormalization": batch_norm, "LayerNormalization": layer_norm,
    "LRN": response_norm, "GRU": gru, "LSTM": lstm, "Upsample": lambda a, x, s=None: resize(a, x, None, s), "Resize": resize, "Pad": pad,
    "Flatten": lambda a, x: x.flatten(a.get("axis", 1)), "Reshape": reshape, "Transpose": lambda a, x: x.permute(a["perm"]), "Unsqueeze": unsqueeze,
    "Squeeze": squeeze, "Slice": slices, "Split": split, "Concat": lambda a, *x: torch.cat(x, a["axis"]), "Expand": expand, "Shape": shape,
    "Size": lambda a, x: torch.tensor(x.numel()), "Gather": gather, "GatherElements": lambda a, x, i: torch.gather(x, a["axis"], i),
    "Scatter": lambda a, x, i, u: torch.scatter(x, a["axis"], i, u), "OneHot": one_hot, "Where": lambda a, c, x, y: torch.where(c, x, y),
    "Greater": lambda a, x, y: x > y, "Equal": lambda a, x, y: x == y, "Cast": lambda a, x: x.to(TO[a["to"]]), "Clip": clip, "Dropout": dropout,
    "Sum": lambda a, *x: sum(x), "Max": lambda a, x, y: torch.maximum(x, y), "ReduceMean": reduction(lambda x, axes, keep: x.mean(axes, keep)),
    "ReduceSum": reduction(lambda x, axes, keep: x.sum(axes, keep)), "ReduceProd": reduction(product),
    "ReduceMax": reduction(lambda x, axes, keep: x.amax(axes, keep)), "TopK": lambda a, x, k: tuple(torch.topk(x, int(k), a.get("axis", -1))),
    "SoftmaxCrossEntropyLoss": lambda a, x, y: F.cross_entropy(x, y, ignore_index=a["ignore_index"]), "Attention": attention,
    "RMSNormalization": lambda a, x, s: x / torch.sqrt((x * x).mean(-1, keepdim=True) + a["epsilon"]) * s, "SkipLayerNormalization": skip_norm,
    "SplitToSequence": split_to_sequence, "SequenceAt": lambda a, x, i: x[int(i)], "SequenceConstruct": lambda a, *x: list(x),
    "SequenceLength": lambda a, x: torch.tensor(len(x)),
    "ConcatFromSequence": lambda a, x: (torch.stack if a.get("new_axis") else torch.cat)(x, a["axis"]),
    "FusedMatMul": lambda a, x, y: a["alpha"] * (x @ (y.t() if a.get("transB") else y)), "BiasGelu": lambda a, x, b: F.gelu(x + b),
    "QuickGelu": lambda a, x: x * torch.sigmoid(a["alpha"] * x),
}


class Graph:
    """A model, and the computation of its nodes."""

    def __init__(self, model):
        self.model, self.opset = model, next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
        self.functions = {(f.domain, f.name): f for f in model.functions}
        self.initializers = {t.name: typed(numpy_helper.to_array(t)) for t in model.graph.initializer}

    def attributes(self, node, given):
        found = {a.name: given[a.ref_attr_name] if a.ref_attr_name else helper.get_attribute_value(a) for a in node.attribute}
        return found | {"opset": self.opset, "outputs": len(node.output)}

    def results(self, node, values, given):
        attributes, inputs = self.attributes(node, given), [values[name] if name else None for name in node.input]
        if node.op_type == "Constant":
            return typed(numpy_helper.to_array(attributes["value"]))
        if node.op_type == "If":
            branch = attributes["then_branch" if bool(inputs[0]) else "else_branch"]
            return tuple(self.run(branch.node, dict(values), given)[output.name] for output in branch.output)
        function = self.functions.get((node.domain, node.op_type))
        if function:
            inner = self.run(function.node, dict(zip(function.input, inputs)), attributes)
            return tuple(inner[name] for name in function.output)
        return OPERATORS[node.op_type](attributes, *inputs)

    def run(self, nodes, values, given=()):
        for node in nodes:
            results = self.results(node, values, given)
            values.update(zip(node.output, results if isinstance(results, tuple) else (results,)))
        return values


def result_of(graph, inputs, single):
    """The first output; of a file whose batch is one, for one sample after the other."""
    if single:
        count = len(next(iter(inputs.values())))
        return torch.cat([result_of(graph, {name: value[i:i + 1] for name, value in inputs.items()}, False) for i in range(count)])
    return graph.run(graph.model.graph.node, graph.initializers | inputs)[graph.model.graph.output[0].name]


def train(model, data, form, rate):
    """The losses of the steps and the fingerprints of the variables."""
    from make_people import loss_of
    torch.set_default_dtype(WIDE)
    graph = Graph(model)
    first = {name: graph.initializers[name].clone().numpy() for name in form.trained}
    variables = [graph.initializers[name].requires_grad_() for name in form.trained]
    optimizer, losses = torch.optim.SGD(variables, lr=rate), []
    for step in range(samples.STEPS):
        part = slice(step * form.batch, (step + 1) * form.batch)
        batch = {name: typed(array[part]) for name, array in data.items()}
        optimizer.zero_grad()
        loss = loss_of(form.loss, result_of(graph, {name: batch[array] for name, array in form.bound.items()}, form.batch_name == 1), batch.get("label"))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    torch.set_default_dtype(torch.float32)
    return losses, {name: samples.fingerprint(first[name], value.detach().numpy()) for name, value in zip(form.trained, variables)}
