"""A Llama-like decoder: RMSNorm written out, rotary embeddings, grouped queries, SwiGLU; names of the transformers library.

full is our own choice of sizes (125 million parameters); 7b has those of Llama 2 7B (Touvron et al. 2023), 8b those of
Llama 3 8B (Grattafiori et al. 2024), both to be written without weights.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
from onnx import TensorProto, helper

from graph_writer import LAST_INDEX

SIZES = {
    "tiny": {"layers": 2, "hidden": 32, "heads": 4, "groups": 2, "inner": 64, "vocabulary": 100, "sequence": 16},
    "small": {"layers": 4, "hidden": 64, "heads": 4, "groups": 2, "inner": 176, "vocabulary": 500, "sequence": 32},
    "full": {"layers": 12, "hidden": 768, "heads": 12, "groups": 4, "inner": 2048, "vocabulary": 32000, "sequence": 256},
    "7b": {"layers": 32, "hidden": 4096, "heads": 32, "groups": 32, "inner": 11008, "vocabulary": 32000,
           "sequence": 2048},
    "8b": {"layers": 32, "hidden": 4096, "heads": 32, "groups": 8, "inner": 14336, "vocabulary": 128256,
           "sequence": 2048},
}
FLAGS = {"qkv": ("apart", "fused")}
EPSILON = 1e-5
BASE = 10000.0
LOWEST = float(np.finfo(np.float32).min)


def _rms_norm(graph, x, name, size):
    scope = "/" + name.replace(".", "/")
    square = graph("Pow", x, graph.constant(2.0), scope=scope)
    spread = graph("Add", graph.mean_of_last(square, scope), graph.constant(EPSILON), scope=scope)
    root = graph("Sqrt", spread, scope=scope)
    # The older exporter writes rsqrt as a division, the newer one as Reciprocal.
    if graph.opset < 18:
        factor = graph("Div", graph.constant(1.0), root, scope=scope)
    else:
        factor = graph("Reciprocal", root, scope=scope)
    unit = graph("Mul", x, factor, scope=scope)
    return graph("Mul", graph.filled(name + ".weight", (size["hidden"],), 1.0), unit, scope=scope)


def _angles(graph, size):
    """Cos and Sin of every position and frequency, [1, 1, sequence, width of a head]."""
    scope, width = "/model/rotary_emb", size["hidden"] // size["heads"]
    frequencies = BASE ** (-np.arange(0, width, 2) / width)
    count = graph("Range", *[graph.constant(v, np.int64) for v in (0, size["sequence"], 1)], scope=scope)
    places = graph("Cast", graph.unsqueeze(graph.unsqueeze(count, 0, scope), 1, scope), to=TensorProto.FLOAT, scope=scope)
    half = graph("MatMul", graph.constant(frequencies[None, :, None]), places, scope=scope)
    half = graph("Transpose", half, perm=[0, 2, 1], scope=scope)
    angles = graph("Concat", half, half, axis=-1, scope=scope)
    return [graph.unsqueeze(graph(op, angles, scope=scope), 1, scope) for op in ("Cos", "Sin")]


def _rotated(graph, x, angles, width, scope):
    """x cos + (-second half, first half) sin."""
    first = graph.slice(x, 0, width // 2, 3, scope)
    second = graph.slice(x, width // 2, LAST_INDEX, 3, scope)
    turned = graph("Concat", graph("Neg", second, scope=scope), first, axis=-1, scope=scope)
    return graph("Add", graph("Mul", x, angles[0], scope=scope), graph("Mul", turned, angles[1], scope=scope),
                 scope=scope)


def _repeated(graph, x, batch, size, scope):
    """Each head of keys or values for all queries of its group: Unsqueeze, Expand, Reshape.

    Expand gets its shape as an export writes it: -1 would mean "as it is", which a comparison takes out.
    """
    heads, groups, sequence = size["heads"], size["groups"], size["sequence"]
    if heads == groups:
        return x
    width = size["hidden"] // heads
    shape = graph.shape(batch, groups, heads // groups, sequence, width, scope=scope)
    one = helper.make_tensor("one", TensorProto.INT64, [1], [1])
    ones = graph("ConstantOfShape", graph.constant([5], np.int64), value=one, scope=scope)
    keep = graph("Equal", shape, graph("Mul", ones, graph.constant(-1, np.int64), scope=scope), scope=scope)
    shape = graph("Where", keep, ones, shape, scope=scope)
    wide = graph("Expand", graph.unsqueeze(x, 2, scope), shape, scope=scope)
    return graph.reshape(wide, batch, heads, sequence, width, scope=scope)


def _projections(graph, x, name, size, is_fused):
    """Queries, keys and values: three products, or one that is taken apart."""
    hidden, scope = size["hidden"], "/" + name.replace(".", "/")
    width = hidden // size["heads"]
    wide = [count * width for count in (size["heads"], size["groups"], size["groups"])]
    if is_fused:
        joined = graph.linear(x, name + ".qkv_proj", hidden, sum(wide), bias=False, scale=hidden ** -0.5)
        yield from graph("Split", joined, graph.constant(wide, np.int64), axis=2, outputs=3, scope=scope)
        return
    for part, columns in zip(("q_proj", "k_proj", "v_proj"), wide):
        yield graph.linear(x, f"{name}.{part}", hidden, columns, bias=False, scale=hidden ** -0.5)


def _attention(graph, x, angles, mask, name, size, flags):
    hidden, heads, sequence = size["hidden"], size["heads"], size["sequence"]
    scope, width, batch = "/" + name.replace(".", "/"), hidden // heads, graph.batch_of(x)
    parts = []
    counts = (heads, size["groups"], size["groups"])
    for y, count in zip(_projections(graph, x, name, size, flags["qkv"] == "fused"), counts):
        y = graph.reshape(y, batch, sequence, count, width, scope=scope)
        parts.append(graph("Transpose", y, perm=[0, 2, 1, 3], scope=scope))
    query, key = (_rotated(graph, part, angles, width, scope) for part in parts[:2])
    key, value = (_repeated(graph, part, batch, size, scope) for part in (key, parts[2]))
    scores = graph("MatMul", query, graph("Transpose", key, perm=[0, 1, 3, 2], scope=scope), scope=scope)
    scores = graph("Div", scores, graph.constant(np.sqrt(width)), scope=scope)
    shares = graph("Softmax", graph("Add", scores, mask, scope=scope), axis=-1, scope=scope)
    y = graph("Transpose", graph("MatMul", shares, value, scope=scope), perm=[0, 2, 1, 3], scope=scope)
    y = graph.reshape(y, batch, sequence, hidden, scope=scope)
    return graph.linear(y, name + ".o_proj", hidden, hidden, bias=False, scale=hidden ** -0.5)


def _feed_forward(graph, x, name, size):
    hidden, inner, scope = size["hidden"], size["inner"], "/" + name.replace(".", "/")
    gate = graph.linear(x, name + ".gate_proj", hidden, inner, bias=False, scale=hidden ** -0.5)
    gate = graph("Mul", gate, graph("Sigmoid", gate, scope=scope), scope=scope)
    up = graph.linear(x, name + ".up_proj", hidden, inner, bias=False, scale=hidden ** -0.5)
    y = graph("Mul", gate, up, scope=scope)
    return graph.linear(y, name + ".down_proj", inner, hidden, bias=False, scale=inner ** -0.5)


def _causal_mask(graph, size):
    """The lowest number above the diagonal, else 0: [1, 1, sequence, sequence]."""
    square = graph.constant([size["sequence"]] * 2, np.int64)
    lowest = helper.make_tensor("lowest", TensorProto.FLOAT, [1], [LOWEST])
    full = graph("ConstantOfShape", square, value=lowest, scope="/model")
    upper = graph("Trilu", full, graph.constant(1, np.int64), upper=1, scope="/model")
    return graph.unsqueeze(graph.unsqueeze(upper, 0, "/model"), 1, "/model")


def build(graph, size, flags):
    hidden, vocabulary = size["hidden"], size["vocabulary"]
    graph.input("input_ids", TensorProto.INT64, size["sequence"])
    x = graph("Gather", graph.normal("model.embed_tokens.weight", (vocabulary, hidden)), "input_ids")
    angles, mask = _angles(graph, size), _causal_mask(graph, size)
    for index in range(size["layers"]):
        name = f"model.layers.{index}"
        y = _rms_norm(graph, x, name + ".input_layernorm", size)
        x = graph("Add", x, _attention(graph, y, angles, mask, name + ".self_attn", size, flags))
        y = _rms_norm(graph, x, name + ".post_attention_layernorm", size)
        x = graph("Add", x, _feed_forward(graph, y, name + ".mlp", size))
    x = _rms_norm(graph, x, "model.norm", size)
    graph.linear(x, "lm_head", hidden, vocabulary, bias=False, scale=0.02, result="scores")
    return (size["sequence"], vocabulary)


def add_loss(graph, size, flags):
    graph.input("labels", TensorProto.INT64, size["sequence"])
    graph.next_token_loss("scores", "labels", size["vocabulary"])
