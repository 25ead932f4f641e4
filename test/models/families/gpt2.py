"""A GPT-2 decoder (Radford et al. 2019), under the names of the transformers library; full is GPT-2 small, long has its whole context."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
from onnx import TensorProto, helper

SIZES = {
    "tiny": {"layers": 2, "hidden": 32, "heads": 4, "vocabulary": 100, "positions": 32, "sequence": 16},
    "small": {"layers": 4, "hidden": 64, "heads": 4, "vocabulary": 500, "positions": 64, "sequence": 32},
    "full": {"layers": 12, "hidden": 768, "heads": 12, "vocabulary": 50257, "positions": 1024, "sequence": 256},
    "long": {"layers": 12, "hidden": 768, "heads": 12, "vocabulary": 50257, "positions": 1024, "sequence": 1024},
}
FLAGS = {"mask": ("where", "trilu", "constant"), "gelu": ("tanh", "operator"), "dropout": float}
EPSILON = 1e-5
MASKED = -10000.0


def _gelu(graph, x, form, scope):
    """The approximation by Tanh, written out, or the operator of set 20."""
    if form == "operator":
        return graph("Gelu", x, approximate="tanh", scope=scope)
    cube = graph("Mul", graph("Pow", x, graph.constant(3.0), scope=scope), graph.constant(0.044715), scope=scope)
    inner = graph("Mul", graph("Add", x, cube, scope=scope), graph.constant(np.sqrt(2.0 / np.pi)), scope=scope)
    one_plus = graph("Add", graph("Tanh", inner, scope=scope), graph.constant(1.0), scope=scope)
    return graph("Mul", graph("Mul", x, graph.constant(0.5), scope=scope), one_plus, scope=scope)


def _conv1d(graph, x, name, size, inputs, outputs):
    """Conv1D of the transformers library: a weight [inputs, outputs] on a matrix of all positions."""
    scope = "/" + name.replace(".", "/")
    weight = graph.normal(name + ".weight", (inputs, outputs), inputs ** -0.5)
    bias = graph.filled(name + ".bias", (outputs,), 0.0)
    y = graph("Gemm", graph.reshape(x, -1, inputs, scope=scope), weight, bias, alpha=1.0, beta=1.0, scope=scope)
    return graph.reshape(y, graph.batch_of(x), size["sequence"], outputs, scope=scope)


def _masked(graph, scores, name, size, form, scope):
    """No position sees a later one: a truth table of the file, one that is computed, or a constant to add."""
    sequence, positions = size["sequence"], size["positions"]
    if form == "constant":
        table = np.triu(np.full((1, 1, sequence, sequence), MASKED), 1)
        return graph("Add", scores, graph.constant(table), scope=scope)
    if form == "where":
        table = graph.buffer(name + ".bias", np.tril(np.ones((1, 1, positions, positions), np.bool_)))
        for axis in (2, 3):
            table = graph.slice(table, 0, sequence, axis, scope)
    else:
        one = helper.make_tensor("one", TensorProto.FLOAT, [1], [1.0])
        ones = graph("ConstantOfShape", graph.constant([sequence, sequence], np.int64), value=one, scope=scope)
        table = graph("Cast", graph("Trilu", ones, upper=0, scope=scope), to=TensorProto.BOOL, scope=scope)
    return graph("Where", table, scores, graph.constant(MASKED), scope=scope)


def _attention(graph, x, name, size, flags):
    hidden, heads, sequence = size["hidden"], size["heads"], size["sequence"]
    scope, width = "/" + name.replace(".", "/"), hidden // heads
    joined = _conv1d(graph, x, name + ".c_attn", size, hidden, 3 * hidden)
    split = graph.constant([hidden] * 3, np.int64)
    parts = []
    for part, order in zip(graph("Split", joined, split, axis=2, outputs=3, scope=scope),
                           ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])):
        y = graph.reshape(part, graph.batch_of(x), sequence, heads, width, scope=scope)
        parts.append(graph("Transpose", y, perm=order, scope=scope))
    scores = graph("MatMul", parts[0], parts[1], scope=scope)
    scores = graph("Div", scores, graph.constant(np.sqrt(width)), scope=scope)
    scores = _masked(graph, scores, name, size, flags["mask"], scope)
    shares = graph.dropout(graph("Softmax", scores, axis=-1, scope=scope), flags["dropout"], scope)
    y = graph("Transpose", graph("MatMul", shares, parts[2], scope=scope), perm=[0, 2, 1, 3], scope=scope)
    y = graph.reshape(y, graph.batch_of(x), sequence, hidden, scope=scope)
    return graph.dropout(_conv1d(graph, y, name + ".c_proj", size, hidden, hidden), flags["dropout"], scope)


def _layer(graph, x, name, size, flags):
    hidden, scope = size["hidden"], "/" + name.replace(".", "/")
    y = graph.layer_normalization(x, name + ".ln_1", hidden, EPSILON)
    x = graph("Add", _attention(graph, y, name + ".attn", size, flags), x, scope=scope)
    y = graph.layer_normalization(x, name + ".ln_2", hidden, EPSILON)
    y = _gelu(graph, _conv1d(graph, y, name + ".mlp.c_fc", size, hidden, 4 * hidden), flags["gelu"], scope)
    y = graph.dropout(_conv1d(graph, y, name + ".mlp.c_proj", size, 4 * hidden, hidden), flags["dropout"], scope)
    return graph("Add", x, y, scope=scope)


def _positions(graph, size, form):
    """0, 1, 2, ... as a constant, or from Range, as an export writes it when the sequence may vary."""
    if form != "trilu":
        return graph.constant(np.arange(size["sequence"])[None], np.int64)
    count = graph("Range", *[graph.constant(v, np.int64) for v in (0, size["sequence"], 1)])
    return graph.unsqueeze(count, 0)


def build(graph, size, flags):
    hidden, vocabulary = size["hidden"], size["vocabulary"]
    graph.input("input_ids", TensorProto.INT64, size["sequence"])
    tokens = graph.normal("transformer.wte.weight", (vocabulary, hidden))
    places = graph.normal("transformer.wpe.weight", (size["positions"], hidden))
    x = graph("Add", graph("Gather", tokens, "input_ids"),
              graph("Gather", places, _positions(graph, size, flags["mask"])))
    x = graph.dropout(x, flags["dropout"])
    for index in range(size["layers"]):
        x = _layer(graph, x, f"transformer.h.{index}", size, flags)
    x = graph.layer_normalization(x, "transformer.ln_f", hidden, EPSILON)
    graph("MatMul", x, graph("Transpose", tokens, perm=[1, 0]), result="scores")
    return (size["sequence"], vocabulary)


def add_loss(graph, size, flags):
    graph.input("labels", TensorProto.INT64, size["sequence"])
    graph.next_token_loss("scores", "labels", size["vocabulary"])
