"""Graphs as torch.onnx.export(dynamo=True) writes them: names of FX nodes, scalars as initializers, layers and overloads as functions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np
from onnx import helper, numpy_helper

from forms import form

SCORES, OUTPUT = "softmax-cross-entropy", "output"
TORCH = {"batch_name": "s77", "ir_version": 8}


def linear(g, x, path, inputs, outputs, out):
    return g("Gemm", x, g.weight(f"{path}.weight", outputs, inputs), g.weight(f"{path}.bias", outputs), out=out, name=f"node_{out}", alpha=1.0, beta=1.0, transB=1)


def projected(g, x, path, inputs, outputs, out):
    """A linear layer on sequences."""
    turned = g("Transpose", g.weight(f"{path}.weight", outputs, inputs), perm=[1, 0], out=f"val_{out}")
    return g("Add", g("MatMul", x, turned, out=f"val_{out}_1"), g.weight(f"{path}.bias", outputs), out=out, name=f"node_{out}")


@form("dynamo", 18, SCORES, **TORCH)
def dynamo_linear(g):
    g.input("x", "f32", "normal", 6)
    g.label("i64", 5)
    h = g("Relu", linear(g, "x", "fc1", 6, 8, "linear"), out="relu", name="node_relu")
    linear(g, h, "fc2", 8, 5, "linear_1")
    g.output("linear_1", dims=["s77", 5])


@form("dynamo", 20, SCORES, **TORCH)
def dynamo_transformer(g):
    """Attention as the exporter decomposes it, LayerNormalization and Gelu as operators, numbers as initializers of rank 0."""
    g.input("tokens", "i64", 16, 6)
    g.label("i64", 5)
    x = g("Gather", g.weight("words.weight", 16, 8), "tokens", axis=0, out="embedding")
    x = g("Add", x, g("Gather", g.weight("places.weight", 6, 8), g.tensor("arange", np.arange(6)), axis=0, out="embedding_1"), out="add")
    y = g("LayerNormalization", x, g.weight("norm1.weight", 8, value=1.0), g.weight("norm1.bias", 8, value=0.0), out="layer_norm", epsilon=1e-5, axis=-1)
    heads = []
    for i, part in enumerate(("query", "key", "value")):
        wide = projected(g, y, part, 8, 8, f"linear_{i}")
        split = g("Reshape", wide, g.tensor(f"val_{10 + i}", np.array([-1, 6, 2, 4])), allowzero=1, out=f"view_{i}")
        heads.append(g("Transpose", split, perm=[0, 2, 1, 3], out=f"transpose_{i}"))
    scale = g.tensor("val_20", np.float32(4 ** -0.25))
    keys = g("Mul", g("Transpose", heads[1], perm=[0, 1, 3, 2], out="val_22"), scale, out="val_23")
    mask = g("Where", g.tensor("tril", np.tril(np.ones((6, 6), bool))), g.tensor("val_24", np.float32(0)), g.tensor("val_25", np.float32(-np.inf)), out="val_26")
    shares = g("Softmax", g("Add", g("MatMul", g("Mul", heads[0], scale, out="val_21"), keys), mask, out="val_27"), axis=-1, out="val_28")
    mixed = g("Transpose", g("MatMul", shares, heads[2], out="scaled_dot_product_attention"), perm=[0, 2, 1, 3], out="transpose_3")
    joined = g("Reshape", mixed, g.tensor("val_30", np.array([-1, 6, 8])), allowzero=1, out="view_3")
    x = g("Add", x, projected(g, joined, "join", 8, 8, "linear_3"), out="add_1")
    y = g("LayerNormalization", x, g.weight("norm2.weight", 8, value=1.0), g.weight("norm2.bias", 8, value=0.0), out="layer_norm_1", epsilon=1e-5, axis=-1)
    h = g("Gelu", projected(g, y, "wide", 8, 16, "linear_4"), approximate="tanh", out="gelu")
    x = g("Add", x, projected(g, h, "narrow", 16, 8, "linear_5"), out="add_2")
    pooled = g("ReduceMean", x, g.tensor("val_40", np.array([1])), keepdims=0, noop_with_empty_axes=0, out="mean")
    linear(g, pooled, "head", 8, 5, "linear_6")
    g.output("linear_6", dims=["s77", 5])


@form("dynamo", 18, SCORES, **TORCH)
def dynamo_convolution(g):
    """A batch normalization that trains, padding by a node, the mean over pixels, and a size that is read by a Shape of one entry."""
    g.input("x", "f32", "normal", 2, 7, 7)
    g.label("i64", 5)
    x = g("Pad", "x", g.tensor("val_0", np.array([0, 0, 1, 1, 0, 0, 0, 0])), g.tensor("val_1", np.float32(0)), mode="constant", out="constant_pad_nd")
    x = g("Conv", x, g.weight("conv.weight", 4, 2, 3, 3), g.weight("conv.bias", 4), strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], group=1, auto_pad="NOTSET",
          out="conv2d", name="node_conv2d")
    x, _, _ = g("BatchNormalization", x, g.weight("bn.weight", 4, value=1.0), g.weight("bn.bias", 4, value=0.0), g.tensor("bn.running_mean", np.zeros(4, "f")),
                g.tensor("bn.running_var", np.ones(4, "f")), outs=["getitem", "getitem_3", "getitem_4"], epsilon=1e-5, momentum=0.9, training_mode=1)
    x = g("MaxPool", g("Relu", x, out="relu"), kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], ceil_mode=0, storage_order=0, auto_pad="NOTSET", dilations=[1, 1],
          out="max_pool2d")
    count = g("Shape", x, start=0, end=1, out="val_10")
    flat = g("Reshape", x, g("Concat", count, g.tensor("val_11", np.array([36])), axis=0, out="val_12"), allowzero=1, out="view")
    linear(g, flat, "fc", 36, 5, "linear")
    g.output("linear", dims=["s77", 5])


def function(domain, name, inputs, outputs, nodes, attributes=(), imports=(("", 18),)):
    opsets = [helper.make_opsetid(*pair) for pair in imports]
    return helper.make_function(domain, name, inputs, outputs, nodes, opsets, list(attributes))


def attribute_of(node, name, kind, reference):
    """An attribute whose value is that of the function's attribute."""
    made = node.attribute.add()
    made.name, made.type, made.ref_attr_name = name, kind, reference
    return node


def torch_library():
    """Overloads as onnxscript's torchlib has them: sizes asked for, branches for scalars, attributes handed on."""
    common, library = "pkg.onnxscript.torch_lib.common", "pkg.onnxscript.torch_lib"
    zero = numpy_helper.from_array(np.array(0, np.int64))
    one = numpy_helper.from_array(np.array([0], np.int64))
    rank = function(common, "Rank", ["input"], ["return_val"], [helper.make_node("Shape", ["input"], ["tmp"]), helper.make_node("Size", ["tmp"], ["return_val"])])
    scalar = function(common, "IsScalar", ["input"], ["return_val"], [
        helper.make_node("Shape", ["input"], ["tmp"]), helper.make_node("Size", ["tmp"], ["tmp_0"]), helper.make_node("Constant", [], ["tmp_1"], value=zero),
        helper.make_node("Equal", ["tmp_0", "tmp_1"], ["return_val"])])
    raised = helper.make_graph([helper.make_node("Constant", [], ["axes"], value=one), helper.make_node("Unsqueeze", ["self", "axes"], ["self_0"])], "thenGraph_9", [],
                               [helper.make_tensor_value_info("self_0", 1, None)])
    kept = helper.make_graph([helper.make_node("Identity", ["self"], ["self_1"])], "elseGraph_9", [], [helper.make_tensor_value_info("self_1", 1, None)])
    softmax = function(library, "aten_softmax_no_dtype", ["self"], ["result_8"], [
        helper.make_node("IsScalar", ["self"], ["self_is_scalar"], domain=common),
        helper.make_node("If", ["self_is_scalar"], ["self_2"], then_branch=raised, else_branch=kept),
        attribute_of(helper.make_node("Softmax", ["self_2"], ["result_8"]), "axis", 2, "dim")], ["dim"], [("", 18), (common, 1)])
    addmm = function(library, "aten_addmm", ["self", "mat1", "mat2"], ["return_val"], [
        attribute_of(attribute_of(helper.make_node("Gemm", ["mat1", "mat2", "self"], ["return_val"]), "alpha", 1, "alpha"), "beta", 1, "beta")], ["alpha", "beta"])
    transpose = function(library, "aten_t", ["self"], ["return_val"], [helper.make_node("Transpose", ["self"], ["return_val"], perm=[1, 0])])
    mul = function(library, "aten_mul", ["self", "other"], ["return_val"], [helper.make_node("Mul", ["self", "other"], ["return_val"])])
    return [rank, scalar, softmax, addmm, transpose, mul]


@form("dynamo 2.3", 18, SCORES, batch_name="s0", opsets=(("pkg.onnxscript.torch_lib", 1), ("pkg.onnxscript.torch_lib.common", 1), ("pkg.torch.2.3.0", 1)))
def dynamo_functions(g):
    """Modules and overloads as functions, within functions, with branches that the rank decides."""
    library = "pkg.onnxscript.torch_lib"
    g.functions = torch_library() + [
        function("pkg.torch.2.3.0", "torch_nn_modules_linear_Linear_fc1_1", ["x", "fc1.weight", "fc1.bias"], ["addmm"], [
            helper.make_node("aten_t", ["fc1.weight"], ["t"], domain=library),
            helper.make_node("aten_addmm", ["fc1.bias", "x", "t"], ["addmm"], domain=library, alpha=1.0, beta=1.0)], imports=((library, 1),)),
        function("pkg.torch.2.3.0", "gate_1", ["x"], ["mul"], [
            helper.make_node("aten_softmax_no_dtype", ["x"], ["_softmax"], domain=library, dim=-1),
            helper.make_node("aten_mul", ["_softmax", "x"], ["mul"], domain=library)], imports=((library, 1),))]
    g.input("l_x_", "f32", "normal", 6)
    g.label("i64", 5)
    layer = "torch_nn_modules_linear_Linear_fc1_1"
    h = g(layer, "l_x_", g.weight("fc1.weight", 8, 6), g.weight("fc1.bias", 8), domain="pkg.torch.2.3.0", out="fc1_1")
    h = g("gate_1", h, domain="pkg.torch.2.3.0", out="gate")
    g(layer, h, g.weight("fc2.weight", 5, 8), g.weight("fc2.bias", 5), domain="pkg.torch.2.3.0", out="fc2_1")
    g.output("fc2_1", dims=["s0", 5])


@form("dynamo", 18, SCORES, **TORCH)
def dynamo_chunks(g):
    """A chunk as a sequence of tensors, of which single ones are taken."""
    g.input("x", "f32", "normal", 6)
    g.label("i64", 5)
    h = linear(g, "x", "fc1", 6, 10, "linear")
    g("SplitToSequence", h, g.tensor("val_2", np.array([5, 5])), axis=1, keepdims=1, out="chunk")
    left, right = (g("SequenceAt", "chunk", g.tensor(f"val_{i + 3}", np.array(i)), out=f"getitem_{i}") for i in (0, 1))
    g("Mul", g("Sigmoid", left), right, out="mul")
    g.output("mul", dims=["s77", 5])


@form("dynamo", 18, SCORES, **TORCH)
def dynamo_stacks(g):
    """An unbind of rows, of which some are stacked and others joined; a sequence of unequal parts."""
    g.input("x", "f32", "normal", 4, 6)
    g.label("i64", 5)
    first, last, axes = (g.tensor(name, np.array(value)) for name, value in (("val_0", 0), ("val_1", -1), ("val_2", [1])))
    g("SplitToSequence", projected(g, "x", "fc", 6, 6, "linear"), axis=1, keepdims=0, out="unbind")
    top, bottom = (g("SequenceAt", "unbind", place, out=f"getitem_{i}") for i, place in enumerate((first, last)))
    g("SequenceConstruct", top, g("Mul", top, bottom), bottom, out="list")
    stacked = g("ConcatFromSequence", "list", axis=1, new_axis=1, out="stack")
    joined = g("ConcatFromSequence", "unbind", axis=-1, out="cat")
    g("SplitToSequence", joined, g.tensor("val_3", np.array(10)), axis=1, out="split")
    count = g("Cast", g("SequenceLength", "split"), to=1)  # three: of ten, ten and four
    rest = g("Mul", g("SequenceAt", "split", last), count)
    g("Add", linear(g, g("ReduceSum", stacked, axes, keepdims=0), "head", 6, 5, "linear_1"), linear(g, rest, "other", 4, 5, "linear_2"), out="add")
    g.output("add", dims=["s77", 5])


@form("dynamo", 20, SCORES, **TORCH)
def dynamo_folded(g):
    """A weight that was folded into its transposed copy, and a mask that was folded, too; a key says which is which."""
    g.recipe = " freeze=val_9"
    g.input("x", "f32", "normal", 5, 6)
    g.label("i64", 5)
    h = g("Add", g("MatMul", "x", g.weight("val_3", 6, 6)), g.weight("fc.bias", 6), out="linear")
    scores = g("MatMul", h, g("Transpose", h, perm=[0, 2, 1]), out="matmul")
    mask = g.tensor("val_9", np.where(np.tril(np.ones((5, 5))), 0, -1e9).astype(np.float32))
    shares = g("Softmax", g("Add", scores, mask, out="add"), axis=-1, out="softmax")
    linear(g, g("ReduceMean", g("MatMul", shares, h), g.tensor("val_11", np.array([1])), keepdims=0), "head", 6, 5, "linear_1")
    g.output("linear_1", dims=["s77", 5])


@form("dynamo", 18, OUTPUT, **TORCH)
def dynamo_loss(g):
    """A loss in the graph: an index_put, a cross entropy by LogSoftmax and GatherElements, a mean over all."""
    g.input("x", "f32", "normal", 6)
    g.input("labels", "i64", 5)
    h = g("Mul", g("Sigmoid", linear(g, "x", "fc1", 6, 8, "linear"), out="sigmoid"), "linear", out="silu")
    logs = g("LogSoftmax", linear(g, h, "fc2", 8, 5, "linear_1"), axis=1, out="_log_softmax")
    chosen = g("GatherElements", logs, g("Unsqueeze", "labels", g.tensor("val_5", np.array([1])), out="unsqueeze"), axis=1, out="gather")
    squeezed = g("Squeeze", chosen, g.tensor("val_6", np.array([1])), out="squeeze")
    g("Neg", g("ReduceMean", squeezed, keepdims=0, noop_with_empty_axes=0, out="mean"), out="neg")
    g.output("neg", dims=[])


@form("dynamo", 23, OUTPUT, batch_name="batch", ir_version=10)
def dynamo_twenty_three(g):
    """The fused operators of operator set 23: RMSNormalization, Attention."""
    g.input("tokens", "i64", 16, 6)
    x = g("Gather", g.weight("embed_tokens.weight", 16, 8, scale=0.6), "tokens", out="embedding")
    y = g("RMSNormalization", x, g.weight("input_layernorm.weight", 8, value=1.0), axis=-1, epsilon=1e-6, out="rms_norm")
    query, key, value = (g("MatMul", y, g("Transpose", g.weight(f"{part}_proj.weight", width, 8), perm=[1, 0]), out=f"linear_{part}")
                         for part, width in (("q", 8), ("k", 4), ("v", 4)))
    mixed = g("Attention", query, key, value, q_num_heads=4, kv_num_heads=2, is_causal=1, out="attention")
    x = g("Add", x, g("MatMul", mixed, g("Transpose", g.weight("o_proj.weight", 8, 8), perm=[1, 0])), out="add")
    y = g("RMSNormalization", x, g.weight("norm.weight", 8, value=1.0), axis=-1, epsilon=1e-6, out="rms_norm_1")
    scores = g("MatMul", y, g("Transpose", "embed_tokens.weight", perm=[1, 0]), out="logits")
    ends = {name: g.tensor(name, np.array([number])) for name, number in (("first", 0), ("second", 1), ("last", -1), ("end", 2**63 - 1))}
    before = g("Slice", scores, ends["first"], ends["last"], ends["second"], out="slice_1")
    after = g("Slice", "tokens", ends["second"], ends["end"], ends["second"], out="slice_2")
    rows = g("Reshape", before, g.tensor("rows", np.array([-1, 16])), out="view")
    g("SoftmaxCrossEntropyLoss", rows, g("Reshape", after, ends["last"], out="view_1"), reduction="mean", ignore_index=-100, out="loss")
    g.output("loss", dims=[])
