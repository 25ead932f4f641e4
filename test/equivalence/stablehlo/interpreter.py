"""Runs StableHLO in generic form on N ranks at once, in numpy: each value is a list with one array for each rank."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import math
import re

import numpy as np
from stablehlo_text import read_module

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i32": np.int32, "i64": np.int64, "i1": np.bool_,
         "i8": np.int8, "ui8": np.uint8, "ui32": np.uint32, "ui64": np.uint64, "i16": np.int16}
PAIRS = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
         "power": np.power, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "atan2": np.arctan2}
SINGLES = {"negate": np.negative, "exponential": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "abs": np.abs,
           "rsqrt": lambda x: 1 / np.sqrt(x), "log_plus_one": np.log1p, "floor": np.floor, "sign": np.sign,
           "logistic": lambda x: 1 / (1 + np.exp(-x)), "exponential_minus_one": np.expm1, "sine": np.sin,
           "cosine": np.cos, "ceil": np.ceil, "is_finite": np.isfinite,
           "not": lambda x: ~x}
COMPARISONS = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater,
               "GE": np.greater_equal}


def parse_type(text):
    """Shape and numpy type of "tensor<2x3xf32>"."""
    inside = re.fullmatch(r"\s*tensor<(.*)>\s*", text).group(1)
    *sizes, element = inside.split("x")
    return tuple(int(size) for size in sizes), TYPES[element]


def list_in(text, key):
    """The numbers of `key = [1, 2]` within an attribute."""
    match = re.search(rf"\b{key} = \[([^\]]*)\]", text)
    return [int(n) for n in match.group(1).split(",") if n.strip()] if match else []


def number_in(text, key):
    match = re.search(rf"\b{key} = (-?\d+)", text)
    return int(match.group(1)) if match else 0


def parse_dense(text, type_text):
    shape, dtype = parse_type(type_text)
    inside = text[text.index("<") + 1:text.rindex("> :")] if "> :" in text else text[text.index("<") + 1:text.rindex(">")]
    if inside.startswith('"0x'):
        values = np.frombuffer(bytes.fromhex(inside[3:-1]), dtype=dtype)
        return np.broadcast_to(values if values.size > 1 else values[0], shape).copy().reshape(shape)
    words = re.findall(r"0x[0-9A-Fa-f]+|-?\d[\d.eE+\-]*|true|false", inside)

    def value(word):
        if word in ("true", "false"):
            return word == "true"
        if word.startswith("0x"):
            bits = int(word, 16)
            kind = {4: np.uint32, 8: np.uint64, 2: np.uint16}.get(np.dtype(dtype).itemsize)
            return np.array(bits, dtype=kind).view(dtype) if np.issubdtype(dtype, np.floating) else bits
        return float(word) if np.issubdtype(dtype, np.floating) else int(word)

    values = np.array([value(word) for word in words], dtype=dtype)
    return np.full(shape, values[0], dtype) if values.size == 1 else values.reshape(shape)


def dot_general(op, lhs, rhs):
    text = op.text("dot_dimension_numbers")
    batching = list_in(text, "lhs_batching_dimensions"), list_in(text, "rhs_batching_dimensions")
    contracting = list_in(text, "lhs_contracting_dimensions"), list_in(text, "rhs_contracting_dimensions")
    names = iter("abcdefghijklmnopqrstuvwxyz")
    sides = [[next(names) for _ in range(value.ndim)] for value in (lhs, rhs)]
    for shared in (batching, contracting):
        for left, right in zip(*shared):
            sides[1][right] = sides[0][left]
    free = [[name for at, name in enumerate(sides[i]) if at not in batching[i] and at not in contracting[i]] for i in (0, 1)]
    result = [sides[0][at] for at in batching[0]] + free[0] + free[1]
    return np.einsum(f"{''.join(sides[0])},{''.join(sides[1])}->{''.join(result)}", lhs, rhs)


def windows(value, sizes, strides, padding, base, dilation, fill):
    """For each place of a window: its elements, one axis each after the places."""
    spread = np.full([(n - 1) * b + 1 if n else 0 for n, b in zip(value.shape, base)], fill, value.dtype)
    spread[tuple(slice(None, None, b) for b in base)] = value
    low = [max(p[0], 0) for p in padding]
    high = [max(p[1], 0) for p in padding]
    spread = np.pad(spread, list(zip(low, high)), constant_values=fill)
    spread = spread[tuple(slice(-min(p[0], 0), n + min(p[1], 0)) for p, n in zip(padding, spread.shape))]
    extents = [(s - 1) * d + 1 for s, d in zip(sizes, dilation)]
    views = np.lib.stride_tricks.sliding_window_view(spread, extents)
    rank = value.ndim
    views = views[tuple(slice(None, None, s) for s in strides)]
    return views[(slice(None),) * rank + tuple(slice(None, None, d) for d in dilation)]


def pairs_of(numbers, rank):
    if len(numbers) == 1: # a splat
        return [(numbers[0], numbers[0])] * rank
    return [tuple(numbers[2 * i:2 * i + 2]) for i in range(rank)] if numbers else [(0, 0)] * rank


def convolution(op, lhs, rhs):
    sides = [part.split(",") for part in re.findall(r"\[([^\]]*)\]", op.text("dimension_numbers"))]
    sides = [[name.strip() for name in side] for side in sides]
    spatial = len(sides[0]) - 2
    lhs = lhs.transpose([sides[0].index(n) for n in ["b", "f"] + [str(i) for i in range(spatial)]])
    rhs = rhs.transpose([sides[1].index(n) for n in ["o", "i"] + [str(i) for i in range(spatial)]])
    if "true" in op.text("window_reversal"):
        rhs = rhs[(slice(None), slice(None)) + (slice(None, None, -1),) * spatial]
    of_features, of_batch = (op.numbers(f"{name}_group_count") or [1] for name in ("feature", "batch"))
    sides_of_groups = zip(np.split(np.concatenate(np.split(lhs, of_batch[0]), 1) if of_batch[0] > 1 else lhs, of_features[0] * of_batch[0], 1),
                          np.split(rhs, of_features[0] * of_batch[0]))
    result = np.concatenate([convolve(op, left, right, spatial) for left, right in sides_of_groups], 1)
    order = [(["b", "f"] + [str(i) for i in range(spatial)]).index(n) for n in sides[2]]
    return result.transpose(order)


def convolve(op, lhs, rhs, spatial):
    """One group, of batch, features and places, with a kernel of features made, features taken and places."""
    ones = [1] * spatial
    views = windows(lhs, [1, 1] + list(rhs.shape[2:]), [1, 1] + (op.numbers("window_strides") or ones),
                    [(0, 0), (0, 0)] + pairs_of(op.numbers("padding"), spatial),
                    [1, 1] + (op.numbers("lhs_dilation") or ones), [1, 1] + (op.numbers("rhs_dilation") or ones), 0)
    places = "".join("pqrs"[i] for i in range(spatial))
    within = "".join("wxyz"[i] for i in range(spatial))
    views = views.reshape(views.shape[:2 + spatial] + rhs.shape[2:])
    return np.einsum(f"bf{places}{within},of{within}->bo{places}", views, rhs)


def lookups(text, keys, indices, window_rank):
    """Pairs: place among the windows, and start of the window in the table as {dimension: number}."""
    vector = number_in(text, "index_vector_dim")
    mapping = list_in(text, keys["map"])
    batching = list(zip(list_in(text, keys["table_batching"]), list_in(text, keys["indices_batching"])))
    shape = list(indices.shape)
    batch = [n for at, n in enumerate(shape) if at != vector]
    for place in itertools.product(*(range(n) for n in batch)):
        at = list(place)
        at.insert(vector, slice(None))
        numbers = np.atleast_1d(indices[tuple(at)]) if vector < indices.ndim else [indices[place]]
        starts = {dimension: int(number) for dimension, number in zip(mapping, numbers)}
        for table, own in batching:
            starts[table] = place[own - (own > vector)]
        yield place, starts


def gather(op, table, indices, shape):
    text = op.text("dimension_numbers")
    sizes = op.numbers("slice_sizes")
    offsets = list_in(text, "offset_dims")
    dropped = set(list_in(text, "collapsed_slice_dims") + list_in(text, "operand_batching_dims"))
    keys = {"map": "start_index_map", "table_batching": "operand_batching_dims",
            "indices_batching": "start_indices_batching_dims"}
    result = np.zeros(shape, table.dtype)
    for place, starts in lookups(text, keys, indices, len(offsets)):
        begin = [min(max(starts.get(d, 0), 0), table.shape[d] - sizes[d]) for d in range(table.ndim)]
        window = table[tuple(slice(b, b + s) for b, s in zip(begin, sizes))]
        window = window.reshape([s for d, s in enumerate(sizes) if d not in dropped])
        at = list(place)
        for dimension in sorted(offsets):
            at.insert(dimension, slice(None))
        result[tuple(at)] = window
    return result


def scatter(op, table, indices, updates, combine):
    """One table of several, each with updates of its own."""
    text = op.text("scatter_dimension_numbers")
    windowed = list_in(text, "update_window_dims")
    dropped = set(list_in(text, "inserted_window_dims") + list_in(text, "input_batching_dims"))
    keys = {"map": "scatter_dims_to_operand_dims", "table_batching": "input_batching_dims",
            "indices_batching": "scatter_indices_batching_dims"}
    result = table.copy()
    for place, starts in lookups(text, keys, indices, len(windowed)):
        at = list(place)
        for dimension in sorted(windowed):
            at.insert(dimension, slice(None))
        window = updates[tuple(at)]
        sizes = list(window.shape)
        begin = [starts.get(d, 0) for d in range(table.ndim)]
        full = [1 if d in dropped else sizes.pop(0) for d in range(table.ndim)]
        if any(b < 0 or b + s > n for b, s, n in zip(begin, full, table.shape)):
            continue
        target = tuple(slice(b, b + s) for b, s in zip(begin, full))
        result[target] = combine(result[target], window.reshape(full))
    return result


def slices_of(op, rank):
    return tuple(slice(b, e, s) for b, e, s in zip(op.numbers("start_indices"), op.numbers("limit_indices"), op.numbers("strides")))


def cut_at(table, starts, sizes):
    begin = [min(max(int(s), 0), n - z) for s, n, z in zip(starts, table.shape, sizes)]
    return tuple(slice(b, b + z) for b, z in zip(begin, sizes))


def pad(op, value, fill):
    interior = op.numbers("interior_padding")
    low, high = op.numbers("edge_padding_low"), op.numbers("edge_padding_high")
    shape = [n + max(n - 1, 0) * i for n, i in zip(value.shape, interior)]
    result = np.full(shape, fill, value.dtype)
    result[tuple(slice(None, None, i + 1) for i in interior)] = value
    result = np.pad(result, [(max(a, 0), max(b, 0)) for a, b in zip(low, high)], constant_values=fill)
    return result[tuple(slice(-min(a, 0), n + min(b, 0)) for a, b, n in zip(low, high, result.shape))]


def reduction_of(block, result=0):
    """The numpy function of the operation that gives a result of a region."""
    name = block.ops[-1].operands[result]
    return PAIRS[next(op.name for op in block.ops if name in op.results).removeprefix("stablehlo.")]


def reduce(op, value, start, combine):
    result = value
    for axis in sorted(op.numbers("dimensions"), reverse=True):
        result = combine.reduce(result, axis)
    return combine(result, start).astype(value.dtype)


def bitcast(value, dtype, shape):
    """Elements of as many bytes, or of others along a last dimension."""
    return np.ascontiguousarray(value).view(dtype).reshape(shape)


def batch_norm(op, value, scale, offset, mean, variance):
    sizes = [-1 if axis == op.numbers("feature_index")[0] else 1 for axis in range(value.ndim)]
    scale, offset, mean, variance = (vector.reshape(sizes) for vector in (scale, offset, mean, variance))
    epsilon = np.float32(re.search(r"[-+.\de]+", op.text("epsilon")).group(0))
    return (value - mean) / np.sqrt(variance + epsilon) * scale + offset


def custom_call(op, value, shape):
    """What the operations of CHLO are called that a file of StableHLO alone has."""
    target = op.text("call_target_name").strip('"')
    if target == "mhlo.erf":
        return np.vectorize(math.erf, otypes=[value.dtype])(value)
    if target == "mhlo.topk":
        order = np.argsort(-value, axis=-1, kind="stable")[..., :shape[-1]]
        return np.take_along_axis(value, order, -1), order.astype(np.int32)
    raise ValueError(f"the interpreter does not know a call of {target}")


def compute(op, values, types):
    """The result of an operation without regions of control, on one rank; a tuple of several."""
    kind = op.name.removeprefix("stablehlo.")
    shape, dtype = parse_type(types[0])
    if kind in PAIRS:
        return PAIRS[kind](*values).astype(dtype)
    if kind in SINGLES:
        return SINGLES[kind](values[0]).astype(dtype)
    if kind == "divide":
        return (values[0] / values[1] if np.issubdtype(dtype, np.floating) else values[0] // values[1]).astype(dtype)
    if kind == "constant":
        return parse_dense(op.text("value"), types[0])
    if kind == "compare":
        return COMPARISONS[re.search(r"comparison_direction (\w+)", op.text("comparison_direction")).group(1)](*values)
    if kind == "select":
        return np.where(values[0], values[1], values[2]).astype(dtype)
    if kind == "clamp":
        return np.minimum(np.maximum(values[1], values[0]), values[2])
    if kind == "convert":
        return values[0].astype(dtype)
    if kind == "iota":
        axis = op.numbers("iota_dimension")[0]
        return np.broadcast_to(np.arange(shape[axis]).reshape([-1 if d == axis else 1 for d in range(len(shape))]), shape).astype(dtype)
    if kind == "reshape":
        return values[0].reshape(shape)
    if kind == "transpose":
        return values[0].transpose(op.numbers("permutation"))
    if kind == "reverse":
        return np.flip(values[0], op.numbers("dimensions"))
    if kind == "broadcast_in_dim":
        sizes = [1] * len(shape)
        for own, to in enumerate(op.numbers("broadcast_dimensions")):
            sizes[to] = values[0].shape[own]
        return np.broadcast_to(values[0].reshape(sizes), shape)
    if kind == "concatenate":
        return np.concatenate(values, op.numbers("dimension")[0])
    if kind == "slice":
        return values[0][slices_of(op, len(shape))]
    if kind == "pad":
        return pad(op, *values)
    if kind == "dynamic_slice":
        return values[0][cut_at(values[0], values[1:], op.numbers("slice_sizes"))]
    if kind == "dynamic_update_slice":
        result = values[0].copy()
        result[cut_at(result, values[2:], values[1].shape)] = values[1]
        return result
    if kind == "dot":
        return np.tensordot(*values, 1).astype(dtype)
    if kind == "dot_general":
        return dot_general(op, *values).astype(dtype)
    if kind == "bitcast_convert":
        return bitcast(values[0], dtype, shape)
    if kind == "batch_norm_inference":
        return batch_norm(op, *values).astype(dtype)
    if kind == "custom_call":
        return custom_call(op, values[0], shape)
    if kind == "convolution":
        return convolution(op, *values).astype(dtype)
    if kind == "gather":
        return gather(op, *values, shape)
    if kind == "scatter":
        count = len(types)
        return tuple(scatter(op, table, values[count], updates, reduction_of(op.regions[0], i))
                     for i, (table, updates) in enumerate(zip(values[:count], values[count + 1:])))
    if kind == "reduce":
        count = len(types)
        return tuple(reduce(op, value, start, reduction_of(op.regions[0], i))
                     for i, (value, start) in enumerate(zip(values[:count], values[count:])))
    if kind == "reduce_window":
        rank = values[0].ndim
        ones = [1] * rank
        views = windows(values[0], op.numbers("window_dimensions"), op.numbers("window_strides") or ones,
                        pairs_of(op.numbers("padding"), rank), op.numbers("base_dilations") or ones,
                        op.numbers("window_dilations") or ones, values[1])
        return reduction_of(op.regions[0]).reduce(views.reshape(shape + (-1,)), -1).astype(dtype)
    raise ValueError(f"the interpreter does not know {op.name}")


def groups_of(op, ranks):
    shape, _ = parse_type(re.search(r"tensor<.*>", op.text("replica_groups")).group(0))
    numbers = op.numbers("replica_groups")
    if not numbers:
        return [list(range(ranks))]
    length = shape[1] if len(numbers) > 1 else 1
    return [[n for n in numbers[i:i + length] if n >= 0] for i in range(0, len(numbers), length)]


def exchange(op, values, ranks):
    """The results of one operand of a collective: `values` has one array for each rank."""
    kind = op.name.removeprefix("stablehlo.")
    results = [np.zeros_like(value) for value in values]
    if kind == "collective_permute":
        numbers = op.numbers("source_target_pairs")
        for source, target in zip(numbers[::2], numbers[1::2]):
            results[target] = values[source]
        return results
    groups = groups_of(op, ranks)
    assert sorted(itertools.chain(*groups)) == list(range(ranks)), f"{kind}: {groups} are not all of {ranks} ranks"
    for group in groups:
        inputs = [values[rank] for rank in group]
        assert len({value.shape for value in inputs}) == 1, "ranks give different shapes"
        if kind in ("all_reduce", "reduce_scatter"):
            total = inputs[0]
            for value in inputs[1:]:
                total = reduction_of(op.regions[0])(total, value)
            parts = [total] * len(group)
            if kind == "reduce_scatter":
                parts = np.split(total, len(group), op.numbers("scatter_dimension")[0])
        elif kind == "all_gather":
            parts = [np.concatenate(inputs, op.numbers("all_gather_dim")[0])] * len(group)
        elif kind == "all_to_all":
            cut = [np.split(value, len(group), op.numbers("split_dimension")[0]) for value in inputs]
            parts = [np.concatenate([row[at] for row in cut], op.numbers("concat_dimension")[0]) for at in range(len(group))]
        else:
            assert kind == "collective_broadcast", kind
            parts = [inputs[0]] * len(group)
        for rank, part in zip(group, parts):
            results[rank] = part
    return results


COLLECTIVES = {"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "collective_broadcast", "collective_permute"}


class Machine:
    """`ranks` ranks that run one program in step. `sums` counts the all_reduce operations that were run."""

    def __init__(self, functions, ranks):
        self.functions = functions
        self.ranks = ranks
        self.sums = 0

    def run(self, name, arguments):
        """`arguments`: for each argument a list of one array for each rank. Results in the same form."""
        return self.run_block(self.functions[name].block, arguments, {})

    def run_block(self, block, arguments, outer):
        values = dict(outer)
        values.update(zip(block.arguments, arguments))
        for op in block.ops:
            operands = [values[name] for name in op.operands]
            if op.name.split(".")[-1] == "return":
                return operands
            for name, result, type_text in zip(op.results, self.run_op(op, operands, values), op.types):
                if type_text.startswith("tensor"):
                    shape, dtype = parse_type(type_text)
                    for value in result:
                        assert value.shape == shape and value.dtype == dtype, f"{op.name}: {value.shape} is not {type_text}"
                values[name] = result
        raise ValueError("a block without a return")

    def run_op(self, op, operands, values):
        kind = op.name.removeprefix("stablehlo.")
        if kind == "call":
            return self.run(op.text("callee"), operands)
        if kind == "replica_id":
            return [[np.array(rank, np.uint32) for rank in range(self.ranks)]]
        if kind in COLLECTIVES:
            self.sums += kind == "all_reduce"
            return [exchange(op, operand, self.ranks) for operand in operands]
        if kind == "async_start":
            return [self.run_block(op.regions[0], operands, values)[0]]
        if kind in ("async_done", "optimization_barrier"):
            return operands
        if kind == "while":
            return self.loop(op, operands, values)
        per_rank = [compute(op, [operand[rank] for operand in operands], op.types) for rank in range(self.ranks)]
        per_rank = [value if isinstance(value, tuple) else (value,) for value in per_rank]
        return [[np.asarray(value) for value in values] for values in zip(*per_rank)]

    def loop(self, op, carried, values):
        while True:
            goes_on = {bool(value) for value in self.run_block(op.regions[0], carried, values)[0]}
            assert len(goes_on) == 1, "ranks leave a loop at different trips"
            if not goes_on.pop():
                return carried
            carried = self.run_block(op.regions[1], carried, values)


def load(path):
    """Functions and module attributes of a file."""
    with open(path, encoding="utf-8") as file:
        return read_module(file.read())
