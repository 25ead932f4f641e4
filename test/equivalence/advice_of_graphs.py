"""What refusals of graphs advise: follow_advice.py trains what follows from it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from advice import advice
from numpy_models import floats


def graph_of(name, nodes, inputs, outputs):
    return helper.make_graph(nodes, name, [helper.make_tensor_value_info(n, kind, shape) for n, kind, shape in inputs],
                             [helper.make_tensor_value_info(n, kind, shape) for n, kind, shape in outputs])


def positive_rows(g):
    return g("Greater", g("ReduceSum", "x", np.array([1]), keepdims=0), 0.0)


def column(g, condition):
    return g("Unsqueeze", condition, np.array([1]))


def product(g, x="x", w="w"):
    return g("MatMul", x, w)


def of_rows(compute):
    return lambda x, w: np.where(x.sum(1, keepdims=True) > 0, compute(x, w), 0)


# Elements whose number depends on data.


def rows_taken_out(g):
    g("Compress", product(g), positive_rows(g), out="y", axis=0)


TAKEN = "multiply by the condition, or choose with Where, instead of taking elements out"


@advice(TAKEN, rows_taken_out)
def rows_multiplied_by_the_condition(g):
    g("Mul", product(g), column(g, g("Cast", positive_rows(g), to=TensorProto.DOUBLE)), out="y")
    return of_rows(np.matmul)


@advice(TAKEN, rows_taken_out)
def rows_chosen_with_where(g):
    g("Where", column(g, positive_rows(g)), product(g), 0.0, out="y")
    return of_rows(np.matmul)


def places_listed(g):
    g("GatherND", product(g), g("Transpose", g("NonZero", positive_rows(g)), perm=[1, 0]), out="y")


LISTED = "choose elements with Where, or multiply by a mask, instead of listing their places"
advice(LISTED, places_listed)(rows_chosen_with_where)
advice(LISTED, places_listed)(rows_multiplied_by_the_condition)

# Sizes that data decide.

OF_DATA = "; export it with a number or the size of a tensor instead of what data say, and mask by Where what they leave out"
LENGTHS = {"x": floats(24, 4), "n": np.random.default_rng(5).integers(1, 5, 24)}


def range_to_the_longest(g):
    """torch.arange(n.max()) < n.unsqueeze(1)"""
    places = g("Range", np.int64(0), g("ReduceMax", "n", keepdims=0), np.int64(1))
    inside = g("Cast", g("Less", places, g("Unsqueeze", "n", np.array([1]))), to=TensorProto.DOUBLE)
    g("Mul", g("ReduceSum", inside, np.array([1])), product(g), out="y")


def inside(x, n):
    return np.arange(x.shape[1]) < n[:, None]


@advice(OF_DATA, range_to_the_longest, inputs=LENGTHS)
def a_range_of_a_size(g):
    places = g("Range", np.int64(0), g.size("x", 1), np.int64(1))
    within = g("Less", places, g("Unsqueeze", "n", np.array([1])))
    g("MatMul", g("Where", within, "x", 0.0), "w", out="y")
    return lambda x, n, w: np.where(inside(x, n), x, 0) @ w


def cut_where_data_say(g):
    g("MatMul", g("Slice", "x", np.array([0]), g("Unsqueeze", g("ReduceMax", "n", keepdims=0), np.array([0])), np.array([1])), "w", out="y")


@advice(OF_DATA, cut_where_data_say, inputs=LENGTHS)
def what_is_cut_is_masked(g):
    within = g("Less", np.arange(4), g("ReduceMax", "n", keepdims=0))
    g("MatMul", g("Where", within, "x", 0.0), "w", out="y")
    return lambda x, n, w: np.where(np.arange(4) < n.max(), x, 0) @ w


# Types and attributes that have no form.


def largest_two(g, kind):
    values, _ = g("TopK", g("Cast", "x", to=kind), np.array([2]), out=2)
    g("Mul", g("ReduceSum", g("Cast", values, to=TensorProto.DOUBLE), np.array([1])), product(g), out="y")


@advice("it compares f16, bf16, f32, f64, i32 and i64: cast its input", lambda g: largest_two(g, TensorProto.UINT8),
        inputs={"x": np.floor(np.abs(floats(24, 4)) * 3)})
def bytes_compared_as_integers(g):
    largest_two(g, TensorProto.INT32)
    return lambda x, w: np.sort(x, 1)[:, 2:].sum(1, keepdims=True) * (x @ w)


DEEP = {"x": floats(24, 6, 2, 2, 3, 2)}


@advice("more are not supported: join the last ones by a Reshape", lambda g: g("Mul", g("LRN", "x", size=3, alpha=0.5), "w", out="y"), inputs=DEEP,
        variables={"w": floats(2)})
def normalized_with_last_dimensions_joined(g):
    joined = g("LRN", g("Reshape", "x", np.array([0, 6, 4, 6])), size=3, alpha=0.5)
    g("Mul", g("Reshape", joined, np.array([0, 6, 2, 2, 3, 2])), "w", out="y")

    def compute(x, w):
        padded = np.pad(x * x, [(0, 0), (1, 1)] + [(0, 0)] * 4)
        return x / (1 + 0.5 / 3 * (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]))**0.75 * w

    return compute


@advice("floats can be compiled, so cast it", lambda g: g("Mul", g("Cast", g("Einsum", *[g("Cast", "x", to=TensorProto.INT64)] * 2, equation="ni,ni->n"),
                                                                to=TensorProto.DOUBLE), g("ReduceSum", product(g), np.array([1]), keepdims=0), out="y"),
        inputs={"x": np.rint(floats(24, 4))})
def einsum_of_integers_as_floats(g):
    g("Mul", g("Einsum", "x", "x", equation="ni,ni->n"), g("ReduceSum", product(g), np.array([1]), keepdims=0), out="y")
    return lambda x, w: (x * x).sum(1) * (x @ w).sum(1)


# Lists of tensors.


def place_of_data(g):
    return g("Cast", g("Greater", g("ReduceSum", "x", keepdims=0), 0.0), to=TensorProto.INT64)


HALVES = np.array([2, 2])


@advice("is not known before the program runs; export loops unrolled",
        lambda g: g("MatMul", g("SequenceAt", g("SplitToSequence", "x", HALVES, axis=1), place_of_data(g)), "w", out="y"), variables={"w": floats(2, 3)})
def a_part_at_a_known_place(g):
    g("MatMul", g("SequenceAt", g("SplitToSequence", "x", HALVES, axis=1), np.int64(1)), "w", out="y")
    return lambda x, w: x[:, 2:] @ w


def inserted(g, place):
    parts = g("SequenceInsert", g("SplitToSequence", "x", HALVES, axis=1), g("Slice", "x", np.array([1]), np.array([3]), np.array([1])), place)
    g("MatMul", g("ConcatFromSequence", parts, axis=1), "w", out="y")


@advice("is not known before the program runs; export it unrolled", lambda g: inserted(g, place_of_data(g)), variables={"w": floats(6, 3)})
def a_part_inserted_at_a_known_place(g):
    inserted(g, np.int64(1))
    return lambda x, w: np.concatenate([x[:, :2], x[:, 1:3], x[:, 2:]], 1) @ w


def sizes_of_data(g):
    one = place_of_data(g)
    return g("Concat", *[g("Unsqueeze", size, np.array([0])) for size in (g("Add", one, np.int64(1)), g("Sub", np.int64(3), one))], axis=0)


CONSTANT = "export it with sizes that are constants, and instead of repeat_interleave(n, 0) of a batch x.unsqueeze(1).expand(-1, n, -1).flatten(0, 1)"


@advice(CONSTANT, lambda g: g("ConcatFromSequence", g("SplitToSequence", product(g), sizes_of_data(g), axis=1), axis=1, out="y"),
        variables={"w": floats(4, 4)})
def parts_of_constant_sizes(g):
    first, second = (g("SequenceAt", g("SplitToSequence", product(g), np.array([1, 3]), axis=1), np.int64(i)) for i in (0, 1))
    g("Mul", first, second, out="y")
    return lambda x, w: (x @ w)[:, :1] * (x @ w)[:, 1:]


@advice("how many parts there are varies, as the dimension does that it splits; split another one",
        lambda g: g("SequenceAt", g("SplitToSequence", product(g), np.int64(2), axis=0), np.int64(0), out="y"), variables={"w": floats(4, 4)})
def another_dimension_is_split(g):
    first, second = (g("SequenceAt", g("SplitToSequence", product(g), np.int64(2), axis=1), np.int64(i)) for i in (0, 1))
    g("Mul", first, second, out="y")
    return lambda x, w: (x @ w)[:, :2] * (x @ w)[:, 2:]


def entries_of(g, axis):
    """As torch.repeat_interleave begins: the entries, one by one."""
    like = g("ReduceSum", "x", np.array([1 - axis]), keepdims=0)
    ones = g("ConstantOfShape", g("Shape", like), value=numpy_helper.from_array(np.array([1])))
    return g("SplitToSequence", g("Tanh", "x"), ones, axis=axis)


@advice("is varies; split a dimension of a known size", lambda g: g("SequenceAt", entries_of(g, 0), np.int64(1), out="y"))
def a_dimension_of_a_known_size_is_split(g):
    g("Mul", g("SequenceAt", entries_of(g, 1), np.int64(1)), product(g), out="y")
    return lambda x, w: np.tanh(x[:, 1:2]) * (x @ w)


# Loops and branches that data decide.


def loop(g, end_of_data):
    body = [helper.make_node("MatMul", ["old", "w"], ["p"]), helper.make_node("Tanh", ["p"], ["new"]),
            helper.make_node("ReduceSumSquare", ["new"], ["size"], keepdims=0), helper.make_node("Greater", ["size", "bound"], ["goes"]),
            helper.make_node("Identity", ["goes" if end_of_data else "on"], ["more"])]
    shape = graph_of("body", body, [("at", TensorProto.INT64, []), ("on", TensorProto.BOOL, []), ("old", TensorProto.DOUBLE, None)],
                     [("more", TensorProto.BOOL, []), ("new", TensorProto.DOUBLE, None)])
    g("Identity", np.float64(0.01), out="bound")
    g("Loop", np.int64(3), np.bool_(True), "x", out="y", body=shape)


@advice("export it unrolled, or with the most iterations that it may need, of which each keeps by Where what there is once it is done",
        lambda g: loop(g, True), variables={"w": floats(4, 4)})
def a_loop_unrolled(g):
    h = "x"
    for out in (1, 1, "y"):
        h = g("Tanh", g("MatMul", h, "w"), out=out)

    def compute(x, w):
        for _ in range(3):
            x = np.tanh(x @ w)
        return x

    return compute


def branches_of_other_sizes(g):
    h = product(g)
    yes = graph_of("yes", [helper.make_node("Tanh", [h], ["t"])], [], [("t", TensorProto.DOUBLE, None)])
    no = graph_of("no", [helper.make_node("Transpose", [h], ["n"])], [], [("n", TensorProto.DOUBLE, None)])
    g("If", g("Greater", g("ReduceSum", "x", keepdims=0), 0.0), out="y", then_branch=yes, else_branch=no)


@advice("; export the branch that training takes", branches_of_other_sizes)
def the_branch_that_training_takes(g):
    g("Tanh", product(g), out="y")
    return lambda x, w: np.tanh(x @ w)


def scan(g):
    body = graph_of("step", [helper.make_node("MatMul", ["step", "w"], ["seen"])], [("step", TensorProto.DOUBLE, None)],
                    [("seen", TensorProto.DOUBLE, None)])
    return g("Scan", "x", body=body, num_scan_inputs=1, scan_input_axes=[1], scan_output_axes=[1], out="y")


SEQUENCES = {"x": floats(24, 3, 4)}


def vary(**shapes):
    """An edit of a file: other sizes of inputs; None takes the shape away."""

    def edit(model):
        for given in model.graph.input:
            if given.name in shapes and shapes[given.name] is None:
                given.type.tensor_type.ClearField("shape")
            elif given.name in shapes:
                given.CopyFrom(helper.make_tensor_value_info(given.name, given.type.tensor_type.elem_type, shapes[given.name]))

    return edit


@advice("; export it with a length that is fixed", scan, inputs=SEQUENCES, edit=vary(x=["N", "T", 4]))
def a_scan_of_a_fixed_length(g):
    scan(g)
    return lambda x, w: x @ w


@advice("has no shape; declare it, with names for the dimensions that vary", lambda g: g("MatMul", "x", "w", out="y"), edit=vary(x=None))
def an_input_with_a_shape(g):
    g("MatMul", "x", "w", out="y")
    return lambda x, w: x @ w


IMAGES = {"x": floats(24, 2, 5, 5)}


def pooled(g, **attributes):
    g("Mul", g("LpPool", "x", kernel_shape=[2, 2], strides=[2, 2], p=1, **attributes), "w", out="y")


def norms(x):
    rows, columns = (range(0, x.shape[axis], 2) for axis in (2, 3))
    return np.array([[np.abs(x[:, :, i:i + 2, j:j + 2]).sum((2, 3)) for j in columns] for i in rows]).transpose(2, 3, 0, 1)


CEIL = "; export the model with fixed sizes, or without ceil_mode"


@advice(CEIL, lambda g: pooled(g, ceil_mode=1), inputs=IMAGES, variables={"w": floats(2, 1, 1)}, opset=18,
        edit=vary(x=["N", 2, "H", 5]))
def windows_that_stand_out_of_fixed_sizes(g):
    pooled(g, ceil_mode=1)
    return lambda x, w: norms(x) * w


@advice(CEIL, lambda g: pooled(g, ceil_mode=1), inputs=IMAGES, variables={"w": floats(2, 1, 1)}, opset=18,
        edit=vary(x=["N", 2, "H", 5]))
def windows_that_do_not_stand_out(g):
    pooled(g)
    return lambda x, w: norms(x[:, :, :4, :4]) * w


def scaled(g, **attributes):
    sizes = [9, 8] if attributes.get("axes") else [12, 2, 9, 8]
    g("Mul", g("Resize", "x", "", "", np.array(sizes), mode="nearest", nearest_mode="floor", coordinate_transformation_mode="asymmetric",
               keep_aspect_ratio_policy="not_larger", **attributes), "w", out="y")


@advice("; name the others in axes", scaled, inputs={"x": floats(24, 2, 4, 4)}, variables={"w": floats(2, 1, 1)}, opset=18)
def the_axes_that_are_scaled(g):
    scaled(g, axes=[2, 3])
    return lambda x, w: x.repeat(2, 2).repeat(2, 3) * w


# Sizes of a batch that a graph cannot have.


def four_parts(g):
    first, _, third, _ = g("Split", product(g), out=4, axis=0)
    g("Mul", first, third, out="y")
    return lambda x, w: (x @ w)[:len(x) // 4] * (x @ w)[len(x) // 2:len(x) // 4 * 3]


@advice("whose parts are equal: choose a batch, or a size, that their number divides", four_parts, asked={"batch": 10})
def a_batch_that_four_divides(g):
    return four_parts(g)


def all_but_five(g):
    rest = g("Unsqueeze", g("Sub", g.size("x"), np.int64(5)), np.array([0]))
    first, last = g("Split", product(g), g("Concat", np.array([5]), rest, axis=0), out=2, axis=0)
    g("Mul", g("ReduceSum", first, np.array([0]), keepdims=1), last, out="y")
    return lambda x, w: (x @ w)[:5].sum(0, keepdims=True) * (x @ w)[5:]


@advice("where a size would be less than 0: choose a batch, or sizes, from which as much can be taken", all_but_five, asked={"batch": 4})
def a_batch_of_more_than_five(g):
    return all_but_five(g)


# What a file says of its variables, and of its own form.


def declare(*names):
    return lambda model: model.metadata_props.add(key="tutti.parameters", value=",".join(names))


@advice("; write the names of the exported module", lambda g: g("MatMul", "x", "w", out="y"), edit=declare("module.w"))
def names_of_the_exported_module(g):
    g("MatMul", "x", "w", out="y")
    return lambda x, w: x @ w


@advice(" are supported: convert the model, or export it again", lambda g: g("MatMul", "x", "w", out="y"), edit=lambda m: m.opset_import.pop(0)
        and m.opset_import.append(helper.make_opsetid("", 5)))
def an_operator_set_that_is_supported(g):
    g("MatMul", "x", "w", out="y")
    return lambda x, w: x @ w


# Numbers of fewer bits: what is in front of the weights is quantized.

SCALE, ZERO = np.float32(0.05), np.int8(3)


def rounded(x):
    steps = np.clip(np.rint(x.astype(np.float32) / SCALE) + np.float32(ZERO), -128, 127)
    return ((steps - np.float32(ZERO)) * SCALE).astype(np.float64)


def quantized(g, between=None, **attributes):
    scale, zero = [np.full((1, 2), value) for value in (SCALE, ZERO)] if attributes else (SCALE, ZERO)
    q = g("QuantizeLinear", g("Cast", "x", to=TensorProto.FLOAT), scale, zero, **attributes)
    q = g("Transpose", q, perm=[1, 0]) if between else q
    return g("Cast", g("DequantizeLinear", q, scale, zero, **attributes), to=TensorProto.DOUBLE)


@advice("block_size is not supported; quantize per tensor or per axis", lambda g: g("MatMul", quantized(g, axis=1, block_size=2), "w", out="y"), opset=21)
def quantized_per_tensor(g):
    g("MatMul", quantized(g), "w", out="y")
    return lambda x, w: rounded(x) @ w


@advice("let one follow the other at once", lambda g: g("MatMul", g("Transpose", quantized(g, True)), "w", out="y"))
def moved_after_both(g):
    g("MatMul", g("Transpose", g("Transpose", quantized(g))), "w", out="y")
    return lambda x, w: rounded(x) @ w


# Initializers that the exporter has merged, and those that are made too often.


def folded(g, first, second):
    g("Identity", first, out=second)
    g("MatMul", g("MatMul", "x", first), second, out="y")


def by_pytorch(model):
    model.producer_name, model.producer_version = "pytorch", "1.13"


@advice("export the model with do_constant_folding=False, which keeps their names", lambda g: folded(g, "onnx::MatMul_7", "onnx::MatMul_8"),
        variables={"onnx::MatMul_7": floats(4, 4)}, edit=by_pytorch, change=by_pytorch)
def names_that_are_kept(g):
    """Not folded, the weight is that of the module, and a Transpose of it is taken twice."""
    g("MatMul", g("MatMul", "x", "onnx::MatMul_7"), "onnx::MatMul_7", out="y")
    return lambda x, **w: x @ w["onnx::MatMul_7"] @ w["onnx::MatMul_7"]
