"""A BERT encoder (Devlin et al. 2018), under the names of the transformers library; full is BERT-base."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
from onnx import TensorProto

SIZES = {
    "tiny": {"layers": 2, "hidden": 32, "heads": 4, "inner": 64, "vocabulary": 100, "positions": 32, "sequence": 16},
    "small": {"layers": 4, "hidden": 64, "heads": 4, "inner": 256, "vocabulary": 500, "positions": 64, "sequence": 32},
    "full": {"layers": 12, "hidden": 768, "heads": 12, "inner": 3072, "vocabulary": 30522, "positions": 512,
             "sequence": 128},
}
FLAGS = {"head": ("mlm", "classification"), "gelu": ("erf", "operator"), "dropout": float}
CLASSES = 2
EPSILON = 1e-12


def gelu(graph, x, form, scope=""):
    """x/2 (1 + erf(x/sqrt 2)), written out, or the operator of set 20."""
    if form == "operator":
        return graph("Gelu", x, approximate="none", scope=scope)
    error = graph("Erf", graph("Div", x, graph.constant(np.sqrt(2.0)), scope=scope), scope=scope)
    scaled = graph("Mul", x, graph("Add", error, graph.constant(1.0), scope=scope), scope=scope)
    return graph("Mul", scaled, graph.constant(0.5), scope=scope)


def _embeddings(graph, size, flags):
    name, hidden, sequence = "bert.embeddings", size["hidden"], size["sequence"]
    word = graph.normal(name + ".word_embeddings.weight", (size["vocabulary"], hidden))
    position = graph.normal(name + ".position_embeddings.weight", (size["positions"], hidden))
    kind = graph.normal(name + ".token_type_embeddings.weight", (2, hidden))
    places = graph.buffer(name + ".position_ids", np.arange(size["positions"], dtype=np.int64)[None])
    x = graph("Add", graph("Gather", word, "input_ids"), graph("Gather", kind, "token_type_ids"))
    x = graph("Add", x, graph("Gather", position, graph.slice(places, 0, sequence, 1)))
    return graph.dropout(graph.layer_normalization(x, name + ".LayerNorm", hidden, EPSILON), flags["dropout"])


def _attention(graph, x, mask, name, size, flags):
    hidden, heads, sequence = size["hidden"], size["heads"], size["sequence"]
    scope, width = "/" + name.replace(".", "/"), hidden // heads
    parts = []
    for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
        y = graph.linear(x, f"{name}.self.{part}", hidden, hidden, scale=hidden ** -0.5)
        y = graph.reshape(y, graph.batch_of(x), sequence, heads, width, scope=scope)
        parts.append(graph("Transpose", y, perm=order, scope=scope))
    scores = graph("MatMul", parts[0], parts[1], scope=scope)
    scores = graph("Add", graph("Div", scores, graph.constant(np.sqrt(width)), scope=scope), mask, scope=scope)
    shares = graph.dropout(graph("Softmax", scores, axis=-1, scope=scope), flags["dropout"], scope)
    y = graph("Transpose", graph("MatMul", shares, parts[2], scope=scope), perm=[0, 2, 1, 3], scope=scope)
    y = graph.reshape(y, graph.batch_of(x), sequence, hidden, scope=scope)
    y = graph.dropout(graph.linear(y, name + ".output.dense", hidden, hidden, scale=hidden ** -0.5), flags["dropout"])
    return graph.layer_normalization(graph("Add", y, x, scope=scope), name + ".output.LayerNorm", hidden, EPSILON)


def _layer(graph, x, mask, name, size, flags):
    hidden, inner = size["hidden"], size["inner"]
    x = _attention(graph, x, mask, name + ".attention", size, flags)
    y = graph.linear(x, name + ".intermediate.dense", hidden, inner, scale=hidden ** -0.5)
    y = gelu(graph, y, flags["gelu"], "/" + name.replace(".", "/"))
    y = graph.dropout(graph.linear(y, name + ".output.dense", inner, hidden, scale=inner ** -0.5), flags["dropout"])
    return graph.layer_normalization(graph("Add", y, x), name + ".output.LayerNorm", hidden, EPSILON)


def _masked_language_model(graph, x, size, flags):
    """Scores of every position by the transposed word embeddings."""
    hidden, vocabulary, name = size["hidden"], size["vocabulary"], "cls.predictions"
    x = graph.linear(x, name + ".transform.dense", hidden, hidden, scale=hidden ** -0.5)
    x = gelu(graph, x, flags["gelu"])
    x = graph.layer_normalization(x, name + ".transform.LayerNorm", hidden, EPSILON)
    tied = graph("Transpose", "bert.embeddings.word_embeddings.weight", perm=[1, 0])
    bias = graph.filled(name + ".bias", (vocabulary,), 0.0)
    graph("Add", graph("MatMul", x, tied), bias, result="scores")
    return (size["sequence"], vocabulary)


def _classification(graph, x, size):
    """The first token, through a dense layer and Tanh."""
    hidden = size["hidden"]
    first = graph("Gather", x, graph.constant(0, np.int64), axis=1)
    pooled = graph("Tanh", graph.gemm(first, "bert.pooler.dense", hidden, hidden, hidden ** -0.5))
    graph.gemm(pooled, "classifier", hidden, CLASSES, hidden ** -0.5, result="scores")
    return (CLASSES,)


def build(graph, size, flags):
    for name in ("input_ids", "attention_mask", "token_type_ids"):
        graph.input(name, TensorProto.INT64, size["sequence"])
    mask = graph.unsqueeze(graph.unsqueeze("attention_mask", 1), 2)
    absent = graph("Sub", graph.constant(1.0), graph("Cast", mask, to=TensorProto.FLOAT))
    mask = graph("Mul", absent, graph.constant(-10000.0))
    x = _embeddings(graph, size, flags)
    for index in range(size["layers"]):
        x = _layer(graph, x, mask, f"bert.encoder.layer.{index}", size, flags)
    if flags["head"] == "classification":
        return _classification(graph, x, size)
    return _masked_language_model(graph, x, size, flags)


def add_loss(graph, size, flags):
    """Of the masked positions, which are those whose label is not -100; or of the class."""
    if flags["head"] == "mlm":
        graph.input("labels", TensorProto.INT64, size["sequence"])
        graph.cross_entropy("scores", "labels", size["vocabulary"])
    else:
        graph.input("labels", TensorProto.INT64)
        graph("SoftmaxCrossEntropyLoss", "scores", "labels", ignore_index=-100, reduction="mean", result="loss")
