"""Attention with caches and masks, and rotary embeddings, each in a model of f64 that one rank and several train as numpy does:

    attention_forms.py DIST_RUN FOLDER [NAME...]            ends with 1 unless they do

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np
from onnx import TensorProto

from numpy_models import SOURCE, case, floats, main

# Attention after keys of the past.


def attend(q, k, v, causal=False, past=0):
    """Of [batch, heads, entries, size]."""
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3])
    if causal:
        scores = np.where(np.arange(k.shape[2]) <= past + np.arange(q.shape[2])[:, None], scores, -np.inf)
    weights = np.exp(scores - scores.max(3, keepdims=True))
    return weights / weights.sum(3, keepdims=True) @ v


def apart(x, heads=2):
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def together(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


CACHE = {"x": floats(24, 3, 4), "k": floats(24, 2, 5, 2), "v": floats(24, 2, 5, 2)}


@case(CACHE, {"w": floats(4, 4)}, opset=23)
def attention_after_a_past(g):
    h = g("MatMul", "x", "w")
    y, k, v = g("Attention", h, "x", h, "", "k", "v", out=3, q_num_heads=2, kv_num_heads=2, is_causal=1)
    g("Add", y, g("Unsqueeze", g("ReduceSum", g("Mul", k, v), np.array([1, 2, 3]), keepdims=0), np.array([1, 2])), out="y")

    def compute(x, k, v, w):
        h = x @ w
        keys, values = np.concatenate([k, apart(x)], 2), np.concatenate([v, apart(h)], 2)
        return together(attend(apart(h), keys, values, True, 5)) + (keys * values).sum((1, 2, 3))[:, None, None]

    return compute


@case({**CACHE, "m": SOURCE.integers(0, 2, (24, 1, 3, 8)) * [0, *7 * [1]] + [1, *7 * [0]]}, {"w": floats(4, 4)}, opset=24)
def bent_scores_under_a_mask(g):
    h = g("MatMul", "x", "w")
    g("Attention", h, "x", h, g("Cast", "m", to=TensorProto.BOOL, round_mode="up"), "k", "v", out="y", q_num_heads=2, kv_num_heads=2, softcap=0.5)

    def compute(x, k, v, m, w):
        h = x @ w
        scores = apart(h) @ np.concatenate([k, apart(x)], 2).swapaxes(2, 3) / np.sqrt(2)
        weights = np.exp(0.5 * np.tanh(scores / 0.5)) * m
        return together(weights / weights.sum(3, keepdims=True) @ np.concatenate([v, apart(h)], 2))

    return compute


@case({"x": floats(24, 2, 2, 2), "k": floats(24, 2, 5, 2), "n": SOURCE.integers(2, 6, 24)}, {"w": floats(2, 2)}, opset=24)
def attention_of_a_static_cache(g):
    g("Attention", g("MatMul", "x", "w"), "k", "k", "", "", "", "n", out="y", is_causal=1)
    return lambda x, k, n, w: np.concatenate([attend((q @ w)[None], c[None, :, :count], c[None, :, :count], True, count - 2) for q, c, count in zip(x, k, n)])


@case({"x": floats(24, 3, 4), "m": np.where(np.arange(24) % 3 == 0, 0, SOURCE.integers(0, 2, (24, 1, 3, 2)).T).T}, {"w": floats(4, 4)}, opset=24)
def queries_that_see_no_key(g):
    """They give 0, and so do the scores that an output shows; of three keys the mask speaks of two."""
    h, m = g("MatMul", "x", "w"), g("Cast", "m", to=TensorProto.BOOL)
    y, _, _, weights = g("Attention", h, "x", h, m, out=4, q_num_heads=2, kv_num_heads=2, softmax_precision=11, qk_matmul_output_mode=3)
    g("Add", y, g("Unsqueeze", g("ReduceMax", weights, np.array([1, 2, 3]), keepdims=0), np.array([1, 2])), out="y")

    def compute(x, m, w):
        h = x @ w
        weights = np.exp(apart(h) @ apart(x).swapaxes(2, 3) / np.sqrt(2)) * np.concatenate([m, 0 * m[..., :1]], 3)
        weights = weights / np.maximum(weights.sum(3, keepdims=True), 1e-300)
        return together(weights @ apart(h)) + weights.max((1, 2, 3))[:, None, None]

    return compute


@case(CACHE, {"w": floats(4, 4)})
def heads_after_a_past(g):
    h = g("MatMul", "x", "w")
    g("MultiHeadAttention", h, "x", h, "", "", "", "k", "v", out="y", domain="com.microsoft", num_heads=2)

    def compute(x, k, v, w):
        h = x @ w
        return together(attend(apart(h), np.concatenate([k, apart(x)], 2), np.concatenate([v, apart(h)], 2)))

    return compute


@case({"x": floats(24, 3, 4), "k": floats(24, 2, 2, 5, 2)}, {"w": floats(4, 12), "b": floats(12)})
def fused_heads_after_a_past(g):
    past = g("Transpose", "k", perm=[1, 0, 2, 3, 4])
    y, present = g("Attention", "x", "w", "b", "", past, out=2, domain="com.microsoft", num_heads=2, unidirectional=1)
    g("Add", y, g("Unsqueeze", g("ReduceSum", present, np.array([0, 2, 3, 4]), keepdims=0), np.array([1, 2])), out="y")

    def compute(x, k, w, b):
        query, key, new = np.split(x @ w + b, 3, 2)
        keys, values = np.concatenate([k[:, 0], apart(key)], 2), np.concatenate([k[:, 1], apart(new)], 2)
        return together(attend(apart(query), keys, values, True, 5)) + (keys + values).sum((1, 2, 3))[:, None, None]

    return compute


@case({"x": floats(24, 3, 4)}, {"w": floats(4, 4), "b": floats(12)})
def heads_with_a_bias(g):
    h = g("MatMul", "x", "w")
    g("MultiHeadAttention", h, "x", h, "b", out="y", domain="com.microsoft", num_heads=2)

    def compute(x, w, b):
        h, (query, key, value) = x @ w, np.split(b, 3)
        return together(attend(apart(h + query), apart(x + key), apart(h + value)))

    return compute


@case(CACHE, {"w": floats(4, 4), "b": floats(12)})
def heads_over_those_of_an_encoder(g):
    """Keys and values that are of heads already have their bias."""
    g("MultiHeadAttention", g("MatMul", "x", "w"), "k", "v", "b", out="y", domain="com.microsoft", num_heads=2)
    return lambda x, k, v, w, b: together(attend(apart(x @ w + b[:4]), k, v))


@case({"x": floats(24, 3, 4)}, {"w": floats(4, 10), "b": floats(10)})
def fused_heads_of_unequal_sizes(g):
    g("Attention", "x", "w", "b", out="y", domain="com.microsoft", num_heads=2, qkv_hidden_sizes=[4, 4, 2])

    def compute(x, w, b):
        query, key, value = np.split(x @ w + b, [4, 8], 2)
        return together(attend(apart(query), apart(key), apart(value)))

    return compute


# Masks that grow with what they hide.


@case({"x": floats(24, 3, 4), "m": SOURCE.integers(0, 2, (24, 3))}, {"w": floats(4, 4)})
def a_mask_with_a_margin(g):
    """nn.MultiheadAttention(add_bias_kv=True) pads the key_padding_mask."""
    more = g("Pad", g("MatMul", "x", "w"), np.array([0, 1, 0, 0, 1, 0]), np.float64(1))
    mask = g("Pad", g("Cast", "m", to=TensorProto.BOOL), np.array([0, 1, 0, 1]), np.array(True))
    g("Where", g("Unsqueeze", mask, np.array([2])), more, g("Mul", more, np.float64(3)), out="y")

    def compute(x, m, w):
        more = np.pad(x @ w, [(0, 0), (1, 1), (0, 0)], constant_values=1)
        return np.where(np.pad(m, [(0, 0), (1, 1)], constant_values=1)[:, :, None] > 0, more, 3 * more)

    return compute


# Words where they stand.


def normal(x, gamma, beta):
    return gamma * (x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + 0.1) + beta


STANDING = {"i": SOURCE.integers(0, 5, (24, 3)), "p": SOURCE.integers(0, 4, (24, 3))}
EMBEDDED = {"words": floats(5, 4), "places": floats(4, 4), "gamma": floats(4), "beta": floats(4)}


@case(STANDING, EMBEDDED)
def words_at_places(g):
    g("EmbedLayerNormalization", "i", "", "words", "places", "", "gamma", "beta", "", "p", out="y", domain="com.microsoft", epsilon=0.1)
    return lambda i, p, words, places, gamma, beta: normal(words[i] + places[p], gamma, beta)


@case({**STANDING, "k": SOURCE.integers(0, 2, (24, 3)), "m": SOURCE.integers(0, 2, (24, 3))}, {**EMBEDDED, "kinds": floats(2, 4)})
def words_of_kinds_at_places(g):
    """The second output counts the words that are none of padding."""
    inputs = ["i", "k", "words", "places", "kinds", "gamma", "beta", "m", "p"]
    y, count = g("EmbedLayerNormalization", *inputs, out=2, domain="com.microsoft", epsilon=0.1)
    g("Add", y, g("Unsqueeze", g("Cast", count, to=TensorProto.DOUBLE), np.array([1, 2])), out="y")
    return lambda i, p, k, m, words, places, gamma, beta, kinds: (
        normal(words[i] + places[p] + kinds[k], gamma, beta) + m.sum(1)[:, None, None])


# Places as angles.


def turned(x, angles, pairs):
    """Of [batch, entries, heads, size]: halves, or neighbours, turned by [batch, entries, size / 2] angles."""
    cosine, sine = np.cos(angles)[:, :, None], np.sin(angles)[:, :, None]
    first, second = (x[..., 0::2], x[..., 1::2]) if pairs else np.split(x, 2, 3)
    real, imaginary = cosine * first - sine * second, sine * first + cosine * second
    return np.stack([real, imaginary], 4).reshape(x.shape) if pairs else np.concatenate([real, imaginary], 3)


ANGLES = floats(9, 2)
ORDER = {"x": floats(24, 3, 12), "p": SOURCE.integers(0, 9, (24, 3))}


@case(ORDER, {"w": floats(12, 12)}, opset=23)
def parts_of_heads_turned(g):
    """Neighbours among the first four of six features of each head."""
    g("RotaryEmbedding", g("MatMul", "x", "w"), np.cos(ANGLES), np.sin(ANGLES), "p", out="y", num_heads=2, rotary_embedding_dim=4, interleaved=1)

    def compute(x, p, w):
        h = (x @ w).reshape(-1, 3, 2, 6)
        return np.concatenate([turned(h[..., :4], ANGLES[p], True), h[..., 4:]], 3).reshape(x.shape)

    return compute


@case({"x": floats(24, 3, 8)}, {"w": floats(8, 8)})
def heads_turned_from_a_place_on(g):
    """As ONNX Runtime has it: one place, of the first entry, and as many heads as the tables leave."""
    g("RotaryEmbedding", g("MatMul", "x", "w"), np.array([4]), np.cos(ANGLES), np.sin(ANGLES), out="y", domain="com.microsoft")

    def compute(x, w):
        angles = np.broadcast_to(ANGLES[4:7], (len(x), 3, 2))
        return turned((x @ w).reshape(-1, 3, 2, 4), angles, False).reshape(x.shape)

    return compute


@case({"x": floats(24, 2, 3, 4), "a": floats(24, 3, 2)}, {"w": floats(4, 4)}, opset=23)
def angles_of_each_sample(g):
    g("RotaryEmbedding", g("MatMul", "x", "w"), g("Cos", "a"), g("Sin", "a"), out="y")
    return lambda x, a, w: turned((x @ w).swapaxes(1, 2), a, False).swapaxes(1, 2)


if __name__ == "__main__":
    main()
