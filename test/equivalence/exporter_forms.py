"""Forms in which exporters write chunks, bags, repeats and regions, each in a model of f64 that one rank and several train as numpy does:

    exporter_forms.py DIST_RUN FOLDER [NAME...]            ends with 1 unless they do

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from numpy_models import SOURCE, case, floats, main, value

# Chunks.

DENSE = {"x": floats(24, 5)}


def chunk_sizes(g, h, parts):
    """What torch.chunk exports along a dimension that varies, up to operator set 17."""
    size, ones = g.size(h), np.array([parts - 1])
    each = g("Div", g("Add", size, ones), np.array([parts]))
    rest = g("Sub", size, g("Mul", each, ones))
    return g("Concat", g("Expand", each, ones), rest, axis=0)


@case(DENSE, {"w": floats(5, 3)})
def chunks_of_the_batch(g):
    h = g("MatMul", "x", "w")
    a, b, c, d, e = g("Split", h, chunk_sizes(g, h, 5), out=5, axis=0)  # 3, 3, 3, 3, 0
    g("Add", g("Mul", a, b), g("Sub", c, d), out="y")

    def compute(x, w):
        a, b, c, d = np.split(x @ w, 4)
        return a * b + c - d

    return compute


@case(DENSE, {"w": floats(5, 3)})
def smaller_last_chunk(g):
    h = g("MatMul", "x", "w")
    parts = g("Split", h, chunk_sizes(g, h, 7), out=7, axis=0)  # 12 are 2, 2, 2, 2, 2, 2, 0
    means = [g("ReduceMean", part, axes=[0], keepdims=1) for part in parts[:6]]
    g("Mul", h, g("Sub", g("Sum", *means[:3]), g("Sum", *means[3:])), out="y")

    def compute(x, w):
        h = x @ w
        means = h.reshape(6, 2, 3).mean(1)
        return h * (means[:3].sum(0) - means[3:].sum(0))

    return compute


@case(DENSE, {"w": floats(5, 3)}, opset=18)
def slices_of_chunks(g):
    h = g("MatMul", "x", "w")
    size = g.size(h)
    each = g("Div", g("Add", size, np.int64(2)), np.int64(3))
    bounds = [g("Unsqueeze", g("Mul", each, np.int64(i)), np.array([0])) for i in range(3)] + [np.array([2**63 - 1])]
    a, b, c = (g("Slice", h, first, last, np.array([0])) for first, last in zip(bounds, bounds[1:]))
    g("Add", g("Mul", a, b), c, out="y")

    def compute(x, w):
        a, b, c = np.split(x @ w, 3)
        return a * b + c

    return compute


@case(DENSE, {"w": floats(5, 3)}, opset=18)
def sequence_of_chunks(g):
    h = g("MatMul", "x", "w")
    each = g("Div", g("Add", g.size(h), np.int64(2)), np.int64(3))
    parts = g("SplitToSequence", h, each, axis=0)
    a, b, c = (g("SequenceAt", parts, np.int64(i)) for i in range(3))
    g("Add", g("Mul", a, b), c, out="y")

    def compute(x, w):
        a, b, c = np.split(x @ w, 3)
        return a * b + c

    return compute


@case(DENSE, {"w": floats(5, 10)}, opset=18)
def uneven_features(g):
    a, b, c = g("Split", g("MatMul", "x", "w"), out=3, axis=-1, num_outputs=3)
    g("Concat", g("Mul", a, b), c, out="y", axis=1)

    def compute(x, w):
        h = x @ w
        return np.concatenate([h[:, :4] * h[:, 4:8], h[:, 8:]], 1)

    return compute


@case(DENSE, {"w": floats(5, 3)}, opset=13)
def halves_of_the_batch(g):
    a, b = g("Split", g("MatMul", "x", "w"), out=2, axis=0)
    g("Mul", a, b, out="y")

    def compute(x, w):
        a, b = np.split(x @ w, 2)
        return a * b

    return compute


# Bags of a list, which begin where data say.

LENGTHS = SOURCE.integers(0, 5, 24)
LISTS = {"i": SOURCE.integers(0, 7, (24, 3)), "n": np.where(np.arange(24) == 4, 0, LENGTHS)}


def embedding_bag(g, op, weights=None):
    """What torch.nn.EmbeddingBag exports: a loop over the bags."""
    def b(kind, *inputs, **attributes):
        body.append(helper.make_node(kind, inputs, [f"b{len(body)}"], **attributes))
        return f"b{len(body) - 1}"

    flat = g("Reshape", "i", np.array([-1]))
    offsets = g("CumSum", "n", np.int64(0), exclusive=1)
    starts = g("Concat", offsets, g("Unsqueeze", g.size(flat), np.array([0])), axis=0)
    ends = g("Slice", starts, np.array([1]), np.array([2**63 - 1]), np.array([0]), np.array([1]))
    body, zero, one = [], g.constant(np.array([0])), g.constant(np.array([1]))
    first, last = (b("Unsqueeze", b("Gather", name, "k", axis=0), zero) for name in (starts, ends))
    rows = b("Gather", "table", b("Slice", flat, first, last, zero), axis=0)
    if weights:
        rows = b("Mul", rows, b("Unsqueeze", b("Slice", weights, first, last, zero), one))
    reduced = b(op, rows, zero, keepdims=0) if op == "ReduceSum" else b(op, rows, axes=[0], keepdims=0)
    kept = b("Identity", "go")
    loop = helper.make_graph(body, "bag", [value("k", TensorProto.INT64, []), value("go", TensorProto.BOOL, [])],
                             [value(kept, TensorProto.BOOL, []), value(reduced, TensorProto.DOUBLE, [4])])
    g("Loop", g.size(ends), np.array(True), out="y", body=loop)


def bags(i, n):
    """Entries of the list that each bag has."""
    starts = np.cumsum(n) - n
    return [np.arange(first, min(last, i.size)) for first, last in zip(starts, [*starts[1:], i.size])]


@case(LISTS, {"table": floats(7, 4)})
def sums_of_bags(g):
    embedding_bag(g, "ReduceSum")
    return lambda i, n, table: np.stack([table[i.ravel()[bag]].sum(0) for bag in bags(i, n)])


@case(LISTS, {"table": floats(7, 4)})
def means_of_bags(g):
    embedding_bag(g, "ReduceMean")
    return lambda i, n, table: np.stack([table[i.ravel()[bag]].sum(0) / max(len(bag), 1) for bag in bags(i, n)])


@case(LISTS, {"table": floats(7, 4)})
def largest_of_bags(g):
    embedding_bag(g, "ReduceMax")
    return lambda i, n, table: np.stack([table[i.ravel()[bag]].max(0) if len(bag) else np.zeros(4) for bag in bags(i, n)])


@case({**LISTS, "p": floats(24, 3)}, {"table": floats(7, 4)})
def weighted_bags(g):
    embedding_bag(g, "ReduceSum", g("Reshape", "p", np.array([-1])))
    return lambda i, n, p, table: np.stack([p.ravel()[bag] @ table[i.ravel()[bag]] for bag in bags(i, n)])


# Repeats.


def repeat_interleave(g, h, times=None):
    """What torch.repeat_interleave exports along a dimension that varies: twice, or as a tensor says for each entry."""
    count = g("Unsqueeze", g.size(h), np.array([0]))
    times = times or g("Expand", np.array([2]), count)
    ones = g("ConstantOfShape", g("Shape", times), value=numpy_helper.from_array(np.array([1])))
    numbers, entries = g("SplitToSequence", times, ones, axis=0), g("SplitToSequence", h, ones, axis=0)
    empty = g("SequenceEmpty", dtype=TensorProto.DOUBLE)
    body = []

    def b(kind, *inputs, **attributes):
        body.append(helper.make_node(kind, [name if isinstance(name, str) else g.constant(name) for name in inputs], [f"b{len(body)}"], **attributes))
        return f"b{len(body) - 1}"

    number, entry = b("SequenceAt", numbers, "k"), b("SequenceAt", entries, "k")
    wide = b("Unsqueeze", entry, np.array([1]))
    shape = b("Concat", np.array([1]), number, np.array([3]), axis=0)
    all_ones = b("ConstantOfShape", b("Shape", shape), value=numpy_helper.from_array(np.array([1])))
    shape = b("Where", b("Equal", shape, b("Mul", all_ones, np.array(-1))), all_ones, shape)
    repeated = b("Reshape", b("Expand", wide, shape), np.array([-1, 3]))
    longer, kept = b("SequenceInsert", "so_far", repeated), b("Identity", "go")
    sequence = helper.make_tensor_sequence_value_info
    loop = helper.make_graph(body, "repeat", [value("k", TensorProto.INT64, []), value("go", TensorProto.BOOL, []), sequence("so_far", TensorProto.DOUBLE, None)],
                             [value(kept, TensorProto.BOOL, []), sequence(longer, TensorProto.DOUBLE, None)])
    return g("ConcatFromSequence", g("Loop", count, np.array(True), empty, body=loop), axis=0)


@case(DENSE, {"w": floats(5, 3)})
def repeated_entries(g):
    h = g("MatMul", "x", "w")
    g("Mul", repeat_interleave(g, h), g("Concat", h, h, axis=0), out="y")
    return lambda x, w: np.repeat(x @ w, 2, 0) * np.concatenate([x @ w, x @ w])


@case({**DENSE, "n": SOURCE.integers(0, 4, 24)}, {"w": floats(5, 3)})
def repeats_that_data_say_at_fixed_places(g):
    """What a refusal of repeat_interleave(h, n, 0) tells to do."""
    h, ends, places = g("MatMul", "x", "w"), g("CumSum", "n", np.int64(0)), np.arange(40)
    passed = g("Cast", g("LessOrEqual", g("Unsqueeze", ends, np.array([0])), places[:, None]), to=TensorProto.INT64)
    index = g("Min", g("ReduceSum", passed, np.array([1]), keepdims=0), g("Sub", g.size(h), np.int64(1)))
    all_of_them = g("ReduceSum", "n", keepdims=1)
    weight = g("Cast", g("Less", places, all_of_them), to=TensorProto.DOUBLE)
    chosen = g("Mul", g("Gather", h, index), g("Unsqueeze", weight, np.array([1])))
    g("Div", g("ReduceSum", g("Mul", chosen, chosen), keepdims=0), g("Cast", all_of_them, to=TensorProto.DOUBLE), out="y")

    def compute(x, n, w):
        repeated = np.repeat(x @ w, n, 0)
        return (repeated * repeated).sum() / n.sum()

    return compute


# A list that grows in a loop of three, as a scripted loop is exported.


@case(DENSE, {"w": floats(5, 3)})
def list_of_a_loop(g):
    h = g("MatMul", "x", "w")
    body = [helper.make_node("Cast", ["k"], ["factor"], to=TensorProto.DOUBLE), helper.make_node("Mul", [h, "factor"], ["scaled"]),
            helper.make_node("SequenceInsert", ["so_far", "scaled"], ["longer"]), helper.make_node("Identity", ["go"], ["on"])]
    sequence = helper.make_tensor_sequence_value_info
    loop = helper.make_graph(body, "grow", [value("k", TensorProto.INT64, []), value("go", TensorProto.BOOL, []), sequence("so_far", TensorProto.DOUBLE, None)],
                             [value("on", TensorProto.BOOL, []), sequence("longer", TensorProto.DOUBLE, None)])
    grown = g("Loop", np.int64(3), np.array(True), g("SequenceEmpty", dtype=TensorProto.DOUBLE), body=loop)
    g("Sub", g("ConcatFromSequence", grown, axis=1), np.float64(1), out="y")
    return lambda x, w: np.concatenate([0 * (x @ w), x @ w, 2 * (x @ w)], 1) - 1


# Regions of images.


def region_values(image, region, shift, bins, largest=False):
    """torchvision.ops.roi_align with sampling_ratio = -1, of one image; `largest`: RoiAlign's mode max."""
    height, width = image.shape[1:]
    left, top, right, bottom = region - shift
    tall, wide = bottom - top, right - left
    if not shift:
        tall, wide = max(tall, 1.0), max(wide, 1.0)
    rows, columns = int(np.ceil(tall / bins)), int(np.ceil(wide / bins))
    out = np.zeros((image.shape[0], bins, bins))

    def corners(y, x):
        if y < -1 or y > height or x < -1 or x > width:
            return [np.zeros(image.shape[0])]
        y, x = max(y, 0.0), max(x, 0.0)
        low, near = min(int(y), height - 1), min(int(x), width - 1)
        high, far = min(low + 1, height - 1), min(near + 1, width - 1)
        fy, fx = (y - low if low < height - 1 else 0.0), (x - near if near < width - 1 else 0.0)
        return [(1 - fy) * (1 - fx) * image[:, low, near], (1 - fy) * fx * image[:, low, far], fy * (1 - fx) * image[:, high, near],
                fy * fx * image[:, high, far]]

    for i in range(bins):
        for j in range(bins):
            points = [corners(top + (i + (r + 0.5) / rows) * tall / bins, left + (j + (c + 0.5) / columns) * wide / bins)
                      for r in range(rows) for c in range(columns)]
            if points and largest:
                out[:, i, j] = np.max([np.max(point, 0) for point in points], 0)
            elif points:
                out[:, i, j] = sum(sum(point) for point in points) / len(points)
    return out


CORNERS = SOURCE.uniform(-3, 6, (24, 2))
REGIONS = np.concatenate([CORNERS, CORNERS + SOURCE.uniform(-1, 9, (24, 2))], 1)
REGIONS[3], REGIONS[5], REGIONS[7] = [-30, -2, 40, 3], [2, 2, 2, 2], [1, 1, 1.01, 3.02]
PICTURES = {"x": floats(24, 2, 5, 4), "r": REGIONS}


def align(g, transformation, shift, below=0.0, **mode):
    """Features of 1 by 1 convolution, minus `below`, in the regions."""
    f = g("Sub", g("Conv", "x", "w"), np.float64(below))
    place = g("Range", np.int64(0), g.size("x"), np.int64(1))
    g("RoiAlign", f, "r", place, out="y", output_height=2, output_width=2, sampling_ratio=0, coordinate_transformation_mode=transformation, **mode)
    return lambda x, r, w: np.stack([region_values(np.einsum("chw,oc->ohw", image, w[:, :, 0, 0]) - below, region, shift, 2, bool(mode))
                                     for image, region in zip(x, r)])


@case(PICTURES, {"w": floats(3, 2, 1, 1)}, opset=16)
def adaptive_regions(g):
    return align(g, "half_pixel", 0.5)


@case(PICTURES, {"w": floats(3, 2, 1, 1)}, opset=16)
def adaptive_regions_of_old(g):
    return align(g, "output_half_pixel", 0.0)


@case(PICTURES, {"w": floats(3, 2, 1, 1)}, opset=16)
def largest_of_adaptive_regions(g):
    return align(g, "half_pixel", 0.5, mode="max")


@case(PICTURES, {"w": floats(3, 2, 1, 1)}, opset=16)
def largest_where_nothing_is_positive(g):
    return align(g, "output_half_pixel", 0.0, below=9.0, mode="max")


# Volumes, looked up at points.


def volume_at(volume, points, nearest):
    sizes = volume.shape[1:]
    out = np.zeros((volume.shape[0], *points.shape[:-1]))
    for at in np.ndindex(points.shape[:-1]):
        place = [((points[at][2 - axis] + 1) * size - 1) / 2 for axis, size in enumerate(sizes)]
        for corner in np.ndindex(1, 1, 1) if nearest else np.ndindex(2, 2, 2):
            index = [int(np.rint(p)) if nearest else int(np.floor(p)) + c for p, c in zip(place, corner)]
            weight = 1.0 if nearest else np.prod([1 - abs(p - i) for p, i in zip(place, index)])
            if all(0 <= i < size for i, size in zip(index, sizes)):
                out[(slice(None), *at)] += weight * volume[(slice(None), *index)]
    return out


VOLUMES = {"x": floats(24, 1, 2, 3, 4), "p": floats(24, 12)}


@case(VOLUMES, {"w": floats(2, 1, 1, 1, 1), "v": 0.3 * floats(12, 12)}, opset=20)
def points_in_volumes(g):
    points = g("Reshape", g("Tanh", g("MatMul", "p", "v")), np.array([-1, 1, 2, 2, 3]))
    g("GridSample", g("Conv", "x", "w"), points, out="y", mode="linear")
    return lambda x, p, w, v: np.stack([volume_at(np.einsum("chwd,oc->ohwd", volume, w[:, :, 0, 0, 0]), np.tanh(q @ v).reshape(1, 2, 2, 3), False)
                                        for volume, q in zip(x, p)])


@case(VOLUMES, {"w": floats(2, 1, 1, 1, 1)}, opset=20)
def nearest_in_volumes(g):
    points = g("Reshape", g("Tanh", "p"), np.array([-1, 1, 2, 2, 3]))
    g("GridSample", g("Conv", "x", "w"), points, out="y", mode="nearest")
    return lambda x, p, w: np.stack([volume_at(np.einsum("chwd,oc->ohwd", volume, w[:, :, 0, 0, 0]), np.tanh(q).reshape(1, 2, 2, 3), True)
                                     for volume, q in zip(x, p)])


# Points of images that matrices move.


def pixels_of(sizes, align):
    """[*sizes, dimensions + 1]: from -1 to 1 along each dimension, the last one first, and 1. A row of one pixel is in the middle, as PyTorch has it."""
    along = [np.linspace(-1, 1, size) if align and size > 1 else (2 * np.arange(size) + 1) / size - 1 for size in sizes]
    return np.stack([*np.meshgrid(*along, indexing="ij")[::-1], np.ones(sizes)], -1)


@case({"x": PICTURES["x"]}, {"v": 0.3 * floats(2, 6)}, opset=20)
def moved_pictures(g):
    """A spatial transformer: F.grid_sample(x, F.affine_grid(theta, x.size()))"""
    theta = g("Reshape", g("Tanh", g("MatMul", g("ReduceMean", "x", np.array([2, 3]), keepdims=0), "v")), np.array([-1, 2, 3]))
    g("GridSample", "x", g("AffineGrid", theta, g("Shape", "x")), out="y")

    def compute(x, v):
        points = pixels_of(x.shape[2:], False) @ np.tanh(x.mean((2, 3)) @ v).reshape(-1, 1, 2, 3).swapaxes(2, 3)
        return np.stack([volume_at(image[:, None], np.concatenate([at, np.zeros((*at.shape[:-1], 1))], -1)[None], False)[:, 0] for image, at in zip(x, points)])

    return compute


@case(VOLUMES, {"w": floats(12, 12)}, opset=20)
def points_of_volumes(g):
    size = g("Concat", g("Unsqueeze", g.size("p"), np.array([0])), np.array([1, 2, 1, 4]), axis=0)
    g("AffineGrid", g("Reshape", g("MatMul", "p", "w"), np.array([-1, 3, 4])), size, out="y", align_corners=1)
    return lambda x, p, w: pixels_of((2, 1, 4), True) @ (p @ w).reshape(-1, 1, 1, 3, 4).swapaxes(3, 4)


# Convolutions whose taps look at places of their own.


def between(image, y, x):
    """Of images [channels, height, width], linearly between pixels, with zeros around them."""
    sides = [(int(np.floor(y)) + i, int(np.floor(x)) + j) for i in range(2) for j in range(2)]
    return sum((1 - abs(y - i)) * (1 - abs(x - j)) * image[:, i, j] for i, j in sides if 0 <= i < image.shape[1] and 0 <= j < image.shape[2])


def deformed(x, offset, kernel, mask=None, groups=1, offset_groups=1, stride=1, pad=0, dilation=1):
    batch, channels, (taps_y, taps_x) = len(x), x.shape[1], kernel.shape[2:]
    out = np.zeros((batch, len(kernel), *offset.shape[2:]))
    moves = offset.reshape(batch, offset_groups, taps_y, taps_x, 2, *offset.shape[2:])
    scales = np.ones(moves[:, :, :, :, 0].shape) if mask is None else mask.reshape(moves[:, :, :, :, 0].shape)
    seen_by, each = np.split(np.arange(channels), offset_groups), len(kernel) // groups
    for n, i, j, a, b in np.ndindex(batch, *offset.shape[2:], taps_y, taps_x):
        seen = np.zeros(channels)
        for group, of_group in enumerate(seen_by):
            y, x_ = (stride * at - pad + dilation * tap + moves[n, group, a, b, axis, i, j] for axis, (at, tap) in enumerate(((i, a), (j, b))))
            seen[of_group] = scales[n, group, a, b, i, j] * between(x[n, of_group], y, x_)
        for group, of_group in enumerate(np.split(np.arange(channels), groups)):
            out[n, group * each:(group + 1) * each, i, j] += kernel[group * each:(group + 1) * each, :, a, b] @ seen[of_group]
    return out


def published_offsets():
    """Those of ONNX's case basic_deform_conv_without_padding."""
    offset = np.zeros((1, 8, 2, 2))
    offset[0, 0, 0, 0], offset[0, 5, 0, 1] = 0.5, -0.1
    return offset


assert np.allclose(deformed(np.arange(9.0).reshape(1, 1, 3, 3), published_offsets(), np.ones((1, 1, 2, 2))), [[[[9.5, 11.9], [20, 24]]]])


@case({"x": floats(24, 2, 4, 3), "o": floats(24, 8, 3, 2), "m": floats(24, 4, 3, 2)},
      {"k": floats(2, 2, 2, 2), "v": floats(8, 1, 1), "u": floats(4, 1, 1), "c": floats(2)}, opset=19)
def moved_taps(g):
    """torchvision.ops.deform_conv2d with a mask and a bias, every other pixel, with a margin."""
    g("DeformConv", "x", "k", g("Mul", "o", "v"), "c", g("Sigmoid", g("Mul", "m", "u")), out="y", pads=[1, 1, 1, 1], strides=[2, 2])
    return lambda x, o, m, k, v, u, c: deformed(x, o * v, k, 1 / (1 + np.exp(-m * u)), stride=2, pad=1) + c[:, None, None]


@case({"x": floats(24, 2, 4, 4), "o": floats(24, 16, 2, 2)}, {"k": floats(2, 1, 2, 2), "v": floats(16, 1, 1)}, opset=19)
def moved_taps_of_groups(g):
    g("DeformConv", "x", "k", g("Mul", "o", "v"), out="y", group=2, offset_group=2, dilations=[2, 2], kernel_shape=[2, 2])
    return lambda x, o, k, v: deformed(x, o * v, k, groups=2, offset_groups=2, dilation=2)


# Sums of many entries, which are sums of blocks.


@case({"x": floats(24, 67, 2)}, {"w": floats(67, 1), "v": floats(67, 1)})
def running_sums(g):
    """cumsum along 67 places, and of those that come after each."""
    so_far = g("CumSum", g("Mul", "x", "w"), np.int64(1))
    g("Add", so_far, g("CumSum", g("Mul", "x", "v"), np.int64(1), exclusive=1, reverse=1), out="y")
    return lambda x, w, v: (x * w).cumsum(1) + (x * v)[:, ::-1].cumsum(1)[:, ::-1] - x * v


@case({"x": floats(24, 100)}, {"w": floats(100)})
def running_sums_before(g):
    g("Add", g("CumSum", g("Mul", "x", "w"), np.int64(-1), exclusive=1), g("CumSum", "w", np.int64(0), reverse=1), out="y")
    return lambda x, w: (x * w).cumsum(1) - x * w + w[::-1].cumsum()[::-1]


# Blocks of images, laid over each other.


@case({"x": floats(24, 6, 6)}, {"w": floats(24, 6)}, opset=18)
def columns_laid_over_each_other(g):
    """nn.Fold of blocks of 2 by 3 elements, of which some lie in the margin, and one row of the image has none."""
    g("Col2Im", g("MatMul", "w", "x"), np.array([5, 6]), np.array([2, 3]), out="y", pads=[1, 1, 0, 1], strides=[2, 2], dilations=[2, 1])

    def compute(x, w):
        image = np.zeros((len(x), 4, 6, 8))  # with its margin
        columns = (w @ x).reshape(-1, 4, 2, 3, 2, 3)
        for i, j in np.ndindex(2, 3):
            image[:, :, 2 * i:2 * i + 3:2, j:j + 5:2] += columns[:, :, i, j]
        return image[:, :, 1:, 1:7]

    return compute


# The largest of integers, and the last of what is largest.


@case({"x": floats(24, 4), "n": SOURCE.integers(-9, 9, (24, 3, 2))}, {"w": floats(4, 4)}, opset=18)
def largest_integers(g):
    most = g("ReduceMax", "n", np.array([1, 2]), keepdims=0)
    least = g("ReduceMin", g("Cast", "n", to=TensorProto.INT8), np.array([-1]), keepdims=1)
    scale = g("Cast", g("Sub", most, g("ReduceSum", g("Cast", least, to=TensorProto.INT64), np.array([1, 2]), keepdims=0)), to=TensorProto.DOUBLE)
    g("Mul", g("MatMul", "x", "w"), g("Unsqueeze", scale, np.array([1])), out="y")
    return lambda x, n, w: x @ w * (n.max((1, 2)) - n.min(2).sum(1))[:, None]


@case({"x": floats(24, 5), "i": SOURCE.integers(0, 2, (24, 6))}, {"w": floats(6, 5)})
def last_of_the_largest(g):
    last = g("ArgMax", "i", axis=1, keepdims=0, select_last_index=1)
    first = g("ArgMin", g("Cast", "i", to=TensorProto.UINT8), axis=-1, keepdims=0, select_last_index=1)
    g("Mul", g("Mul", "x", g("Gather", "w", last)), g("Gather", "w", first), out="y")

    def compute(x, i, w):
        def last_of(j):
            return 5 - j[:, ::-1].argmax(1)
        return x * w[last_of(i)] * w[last_of(-i)]

    return compute


# What is told instead of x[mask], which is refused: its size would depend on data.


@case({"x": floats(24, 5), "m": SOURCE.integers(0, 2, (24, 3))}, {"w": floats(5, 3)})
def mean_of_what_a_mask_chooses(g):
    h, m = g("MatMul", "x", "w"), g("Cast", "m", to=TensorProto.DOUBLE)
    g("Div", g("ReduceSum", g("Mul", g("Mul", h, h), m), keepdims=0), g("ReduceSum", m, keepdims=0), out="y")

    def compute(x, m, w):
        chosen = (x @ w)[m.astype(bool)]
        return np.mean(chosen * chosen)

    return compute


if __name__ == "__main__":
    main()
