"""Runs bodies of exported functions with numpy, on several ranks at once, and compares them with what operations are to compute.

    interpret_bodies.py WORK_FOLDER
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

TYPES = {1: np.float32, 6: np.int32, 7: np.int64, 9: np.bool_, 11: np.float64}


def windows(attributes, x):
    """Pads x; the places of each window in the padded tensor, by the place in the result."""
    kernel, strides = attributes["kernel_shape"], attributes.get("strides", [1, 1])
    pads, steps = attributes.get("pads", [0, 0, 0, 0]), attributes.get("dilations", [1, 1])
    spans = [(kernel[i] - 1) * steps[i] + 1 for i in range(2)]
    sizes = [(x.shape[2 + i] + pads[i] + pads[2 + i] - spans[i]) // strides[i] + 1 for i in range(2)]
    for place in itertools.product(range(x.shape[0]), range(x.shape[1]), *map(range, sizes)):
        starts = [place[2 + i] * strides[i] - pads[i] for i in range(2)]
        inside = [[at for at in range(start, start + spans[i], steps[i]) if 0 <= at < x.shape[2 + i]] for i, start in enumerate(starts)]
        yield place, [place[:2] + at for at in itertools.product(*inside)], sizes


def max_pool(attributes, x):
    places = list(windows(attributes, x))
    y = np.zeros(x.shape[:2] + tuple(places[0][2]), x.dtype)
    chosen = np.zeros(y.shape, np.int64)
    for place, window, _ in places:
        best = max(window, key=lambda at: (x[at], [-i for i in at]))
        y[place], chosen[place] = x[best], np.ravel_multi_index(best, x.shape)
    return y, chosen


def average_pool(attributes, x):
    places = list(windows(attributes, x))
    y = np.zeros(x.shape[:2] + tuple(places[0][2]), x.dtype)
    for place, window, _ in places:
        count = np.prod(attributes["kernel_shape"]) if attributes.get("count_include_pad") else len(window)
        y[place] = sum(x[at] for at in window) / count
    return y


def pad(_, x, pads):
    half = x.ndim
    x = np.pad(x, [(max(a, 0), max(b, 0)) for a, b in zip(pads[:half], pads[half:])])
    return x[tuple(slice(max(-a, 0), x.shape[i] - max(-b, 0)) for i, (a, b) in enumerate(zip(pads[:half], pads[half:])))]


def cut(_, x, starts, ends, axes, steps=None):
    index = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, [1] * len(starts) if steps is None else steps):
        index[axis] = slice(start, end if end > -2**62 else None, step)
    return x[tuple(index)]


def scatter_elements(attributes, x, indices, updates):
    x = x.copy()
    for at, update in zip(indices, updates):
        x[at] = x[at] + update if attributes.get("reduction") == b"add" else update
    return x


def scatter_nd(attributes, x, indices, updates):
    x = x.copy()
    for at in np.ndindex(indices.shape[:-1]):
        place = tuple(indices[at])
        x[place] = x[place] + updates[at] if attributes.get("reduction") == b"add" else updates[at]
    return x


def sum_before(attributes, x, axis):
    assert attributes["exclusive"] == 1
    return np.cumsum(x, axis) - x


def top_k(attributes, x, k):
    axis = attributes["axis"]
    order = np.take(np.argsort(-x if attributes["largest"] else x, axis, kind="stable"), np.arange(k[0]), axis)
    return np.take_along_axis(x, order, axis), order


def reduce_sum(attributes, x, axes=None):
    axes = None if axes is None else tuple(axes)
    return np.asarray(np.sum(x, axes, keepdims=bool(attributes.get("keepdims", 1))), x.dtype)


def divide(_, a, b):
    return (a / b).astype(a.dtype) if a.dtype.kind == "f" else a // b


LOCAL = {
    "Add": lambda _, a, b: a + b, "Sub": lambda _, a, b: a - b, "Mul": lambda _, a, b: a * b, "Div": divide,
    "Sqrt": lambda _, x: np.sqrt(x), "Identity": lambda _, x: x, "Round": lambda _, x: np.round(x), "Clip": lambda _, x, low, high: np.clip(x, low, high), "Less": lambda _, a, b: a < b,
    "Where": lambda _, c, a, b: np.where(c, a, b), "CastLike": lambda _, x, like: x.astype(like.dtype),
    "Cast": lambda a, x: x.astype(TYPES[a["to"]]), "Shape": lambda _, x: np.array(x.shape, np.int64),
    "Size": lambda _, x: np.array(x.size, np.int64), "Expand": lambda _, x, s: x * np.ones(s, x.dtype),
    "Reshape": lambda _, x, s: x.reshape(s), "Unsqueeze": lambda _, x, a: np.expand_dims(x, tuple(a)),
    "Concat": lambda a, *x: np.concatenate(x, a["axis"]), "Transpose": lambda a, x: x.transpose(a["perm"]),
    "Range": lambda _, a, b, c: np.arange(a, b, c), "Tile": lambda _, x, n: np.tile(x, n), "Pad": pad, "Slice": cut,
    "ConstantOfShape": lambda _, s: np.zeros(s, np.float32), "ReduceSum": reduce_sum, "MaxPool": max_pool,
    "AveragePool": average_pool, "ScatterElements": scatter_elements, "ScatterND": scatter_nd, "TopK": top_k,
    "CumSum": sum_before, "Equal": lambda _, a, b: a == b,
    "Gather": lambda a, x, i: np.take(x, i, a.get("axis", 0)),
}


def gather(parts):
    """ONNX Runtime's: each rank has its own part of the tensor right, in whole 32 bytes."""
    length = parts[0].size // len(parts)
    assert length * len(parts) == parts[0].size and length * parts[0].itemsize % 32 == 0
    whole = np.concatenate([part[rank * length:(rank + 1) * length] for rank, part in enumerate(parts)])
    return [whole] * len(parts)


def exchange(parts):
    blocks = [np.split(part, len(parts)) for part in parts]
    return [np.concatenate([blocks[source][rank] for source in range(len(parts))]) for rank in range(len(parts))]


def run(function, inputs):
    """The results of each rank; `inputs` are the operands of each rank."""
    ranks = len(inputs)
    values = [dict(zip(function.input, own)) for own in inputs]
    for node in function.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        operands = [[own[name] for name in node.input] for own in values]
        if node.op_type == "Constant":
            results = [(numpy_helper.to_array(attributes["value"]),)] * ranks
        elif node.op_type == "NcclAllReduce":
            results = [tuple(sum(own[i] for own in operands) for i in range(len(node.input)))] * ranks
        elif node.op_type == "NcclAllGather":
            results = [(whole,) for whole in gather([own[0] for own in operands])]
        elif node.op_type == "AllToAll":
            assert attributes["group_size"] == ranks
            results = [(part,) for part in exchange([own[0] for own in operands])]
        else:
            results = [LOCAL[node.op_type](attributes, *own) for own in operands]
            results = [own if isinstance(own, tuple) else (own,) for own in results]
        for own, made in zip(values, results):
            own.update(zip(node.output, made))
    return [[own[name] for name in function.output] for own in values]


def export(folder, operation, arguments, size=None):
    """The function of the model that a program with this operation becomes."""
    source, model = folder / "program.mlir", folder / "model.onnx"
    inputs = ", ".join(f'%x{i}: {t} {{train.input = #train.input<"x{i}", @data>}}' for i, t in enumerate(arguments))
    group = f"collective.group @world {{size = {size} : i64}}" if size else "collective.group @world"
    source.write_text(f"""module attributes {{train.program}} {{
  {group}
  train.dataset @data
  func.func @initialize() {{ return }}
  func.func @forward({inputs}) {{
    %r{":2" if "TopK" in operation else ":3" if "Grad %x0, %x1, %x2, %x3" in operation else ":5" if "NormInternal" in operation else ""} = {operation}
    return
  }}
}}""")
    subprocess.run(["dist-opt", source, f"--export-onnx={model}", "-o", "/dev/null"], check=True)
    functions = onnx.load(str(model)).functions
    assert len(functions) == 1, [function.name for function in functions]
    return functions[0]


def spread(dy, x, places, share):
    """The gradient of a pool whose window i gives `share(window)` to the places it names."""
    dx = np.zeros_like(x)
    for place, window, _ in places:
        for at, part in share(place, window):
            dx[at] += dy[place] * part
    return dx


def local_cases(random):
    """(operation, types, operands, expected)."""
    x = random.standard_normal((2, 3, 7, 6)).astype(np.float32)
    kind = "tensor<2x3x7x6xf32>"
    window = {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]}
    text = "kernel_shape = array<i64: 3, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 0, 1, 1>"
    places = list(windows(window, x))
    dy = random.standard_normal((2, 3, *places[0][2])).astype(np.float32)
    pooled = f"tensor<{'x'.join(map(str, dy.shape))}xf32>"
    types = f"({pooled}, {kind}) -> {kind}"
    largest = spread(dy, x, places, lambda _, w: [(max(w, key=lambda at: x[at]), 1)])
    yield f"onnx.MaxPoolGrad %x0, %x1 {{{text}}} : {types}", [pooled, kind], [dy, x], [largest]
    for counts in (0, 1):
        average = spread(dy, x, places, lambda _, w, c=counts: [(at, 1 / (6 if c else len(w))) for at in w])
        yield (f"onnx.AveragePoolGrad %x0, %x1 {{{text}, count_include_pad = {counts} : i64}} : {types}",
               [pooled, kind], [dy, x], [average])

    places = list(windows({**window, "strides": [2, 1], "dilations": [2, 3]}, x))
    holes = "kernel_shape = array<i64: 3, 2>, strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 2, 3>"
    dy = random.standard_normal((2, 3, *places[0][2])).astype(np.float32)
    pooled = f"tensor<{'x'.join(map(str, dy.shape))}xf32>"
    for counts in (0, 1):
        average = spread(dy, x, places, lambda _, w, c=counts: [(at, 1 / (6 if c else len(w))) for at in w])
        yield (f"onnx.AveragePoolGrad %x0, %x1 {{{holes}, count_include_pad = {counts} : i64}} : ({pooled}, {kind}) -> {kind}",
               [pooled, kind], [dy, x], [average])

    scale, zero = np.float32(0.125), np.float32(3)
    yield (f"onnx.FakeQuantize %x0, %x1, %x2 {{high = 7.0 : f64, low = -8.0 : f64}} : ({kind}, tensor<f32>, tensor<f32>) -> {kind}",
           [kind, "tensor<f32>", "tensor<f32>"], [x, scale, zero], [(np.clip(np.round(x / scale) + zero, -8, 7) - zero) * scale])

    order = np.argsort(x, 2, kind="stable")
    yield (f"onnx.TopK %x0 {{axis = -2 : i64, k = -1 : i64, largest = 0 : i64}} : ({kind}) -> ({kind}, {kind.replace('f32', 'i64')})", [kind], [x],
           [np.take_along_axis(x, order, 2), order])

    tuples, rows = random.integers(0, 7, (2, 3, 5, 1)), random.standard_normal((2, 3, 5, 6)).astype(np.float32)
    added = x.copy()
    for at in np.ndindex(2, 3, 5):
        added[at[:2] + tuple(tuples[at])] += rows[at]
    yield (f'onnx.ScatterND %x0, %x1, %x2 {{batch_dims = 2 : i64, reduction = "add"}} : ({kind}, tensor<2x3x5x1xi64>, tensor<2x3x5x6xf32>) -> {kind}',
           [kind, "tensor<2x3x5x1xi64>", "tensor<2x3x5x6xf32>"], [x, tuples, rows], [added])

    part = random.standard_normal((2, 3, 3, 2)).astype(np.float32)
    dx = np.zeros_like(x)
    dx[:, :, 5:0:-2, 1:6:3] = part
    yield ("onnx.SliceGrad %x0, %x1 {axes = array<i64: 2, 3>, starts = array<i64: 5, 1>, ends = array<i64: 0, 6>, "
           f"steps = array<i64: -2, 3>}} : (tensor<2x3x3x2xf32>, {kind}) -> {kind}", ["tensor<2x3x3x2xf32>", kind], [part, x], [dx])
    mean = random.standard_normal((2, 7)).astype(np.float32)
    yield (f"onnx.ReduceMeanGrad %x0, %x1 {{axes = array<i64: 1, 3>, keepdims = 0 : i64}} : (tensor<2x7xf32>, {kind}) -> {kind}",
           ["tensor<2x7xf32>", kind], [mean, x], [np.broadcast_to(mean[:, None, :, None] / 18, x.shape)])

    channels = [np.abs(random.standard_normal(3)).astype(np.float32) for _ in range(6)]
    by = [c[:, None, None] for c in channels]
    c, axes = "tensor<3xf32>", (0, 2, 3)
    yield f"onnx.BatchMean %x0 : ({kind}) -> {c}", [kind], [x], [x.mean(axes)]
    yield f"onnx.BatchVariance %x0, %x1 : ({kind}, {c}) -> {c}", [kind, c], [x, channels[0]], [((x - by[0]) ** 2).mean(axes)]
    g = random.standard_normal(x.shape).astype(np.float32)
    n = (x - by[0]) * by[1]
    yield (f"onnx.BatchCovariance %x0, %x1, %x2, %x3 : ({kind}, {kind}, {c}, {c}) -> {c}", [kind, kind, c, c],
           [g, x, channels[0], channels[1]], [(g * n).mean(axes)])
    n = (x - by[4]) / np.sqrt(by[5] + 1e-5)
    yield ("onnx.BatchNormInternal %x0, %x1, %x2, %x3, %x4 mean %x5 variance %x6 : "
           f"({kind}, {c}, {c}, {c}, {c}, {c}, {c}) -> ({kind}, {c}, {c}, {c}, {c})", [kind] + [c] * 6, [x, *channels],
           [n * by[0] + by[1], channels[2] * 0.9 + channels[4] * 0.1, channels[3] * 0.9 + channels[5] * 0.1, channels[4],
            1 / np.sqrt(channels[5] + 1e-5)])
    n = (x - by[1]) * by[2]
    yield ("onnx.BatchNormalizationGrad %x0, %x1, %x2, %x3, %x4 mean %x5 covariance %x6 : "
           f"({kind}, {kind}, {c}, {c}, {c}, {c}, {c}) -> ({kind}, {c}, {c})", [kind, kind] + [c] * 5, [g, x, *channels[:5]],
           [by[0] * by[2] * (g - by[3] - n * by[4]), (g * n).sum(axes), g.sum(axes)])

    indices, rows = np.array([1, -1, 4, 1, 0]), random.standard_normal((5, 2)).astype(np.float32)
    table = np.zeros((4, 2), np.float32)
    for index, row in zip(indices, rows):
        if index != 4:
            table[index] += row
    yield ("train.scatter_rows %x0, %x1 : tensor<5xi64>, tensor<5x2xf32> -> tensor<4x2xf32>",
           ["tensor<5xi64>", "tensor<5x2xf32>"], [indices, rows], [table])


def collective_cases(random, ranks):
    """(operation, type, size of the group, inputs of the ranks, expected results of the ranks)."""
    x = [random.standard_normal((4, 3)).astype(np.float32) for _ in range(ranks)]
    kind = "tensor<4x3xf32>"
    yield f"collective.all_reduce mean %x0 on @world : {kind}", kind, None, x, [sum(x) / ranks] * ranks
    for axis, made in ((0, "tensor<?x3xf32>"), (1, "tensor<4x?xf32>")):
        yield (f"collective.all_gather %x0 along {axis} on @world : {kind} -> {made}", kind, None, x,
               [np.concatenate(x, axis)] * ranks)
    wide = [random.standard_normal((ranks, 2 * ranks)).astype(np.float32) for _ in range(ranks)]
    kind = f"tensor<{ranks}x{2 * ranks}xf32>"
    for reduction, total in (("sum", sum(wide)), ("mean", sum(wide) / ranks)):
        yield (f"collective.reduce_scatter {reduction} %x0 along 1 on @world : {kind} -> tensor<{ranks}x2xf32>", kind, ranks, wide,
               np.split(total, ranks, 1))
    yield (f"collective.all_to_all %x0 split 1 concat 0 on @world : {kind} -> tensor<{ranks * ranks}x2xf32>", kind, ranks, wide,
           [np.concatenate([np.split(one, ranks, 1)[rank] for one in wide], 0) for rank in range(ranks)])


def check(operation, results, expected):
    for result, wanted in zip(results, expected, strict=True):
        if result.shape != np.shape(wanted) or not np.allclose(result, wanted, rtol=1e-5, atol=1e-6):
            sys.exit(f"{operation}\ngives\n{result}\nbut should give\n{wanted}")


def main():
    folder, random, count = pathlib.Path(sys.argv[1]), np.random.default_rng(7), 0
    for operation, types, operands, expected in local_cases(random):
        check(operation, run(export(folder, operation, types), [operands])[0], expected)
        count += 1
    for ranks in (2, 3):
        for operation, kind, size, inputs, expected in collective_cases(random, ranks):
            results = run(export(folder, operation, [kind], size), [[own] for own in inputs])
            for rank, result in enumerate(results):
                check(f"rank {rank} of {ranks}: {operation}", result, [expected[rank]])
            count += 1
    print(f"{count} operations")


if __name__ == "__main__":
    main()
