"""Computes the forward of a family's graph with numpy: an oracle written from the ONNX operator texts, in f64 or f32.

It shares test/models/reference_operators.py with the digits models and adds what the families need. test_evaluator.py
runs it on the cases that the ONNX project publishes, where those are installed.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import math
import os
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from reference_operators import OPERATORS  # noqa: E402

_ERF = np.vectorize(math.erf, otypes=[np.float64])


def _axes(attributes, axes):
    """Of a reduction: an attribute before, an input after; none means all, or with noop_with_empty_axes none."""
    chosen = attributes.get("axes", []) if axes is None else axes.tolist()
    return tuple(chosen) if chosen or attributes.get("noop_with_empty_axes") else None


def _reduction(function):
    def forward(attributes, x, axes=None):
        return function(x, axis=_axes(attributes, axes), keepdims=bool(attributes.get("keepdims", 1)))
    return forward


def _reshape(attributes, x, shape):
    return x.reshape([x.shape[i] if size == 0 and not attributes.get("allowzero") else size
                      for i, size in enumerate(shape.tolist())])


def _unsqueeze(attributes, x, axes):
    rank = x.ndim + len(axes)
    return np.expand_dims(x, tuple(sorted(axis % rank for axis in axes.tolist())))


def _slice(attributes, x, starts, ends, axes=None, steps=None):
    index = [slice(None)] * x.ndim
    axes = range(len(starts)) if axes is None else axes.tolist()
    steps = [1] * len(starts) if steps is None else steps.tolist()
    for start, end, axis, step in zip(starts.tolist(), ends.tolist(), axes, steps):
        index[axis] = slice(start, end, step)
    return x[tuple(index)]


def _split(attributes, x, split):
    return tuple(np.split(x, np.cumsum(split)[:-1], axis=attributes.get("axis", 0)))


def _softmax(attributes, x):
    axis = attributes.get("axis", -1)
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _layer_normalization(attributes, x, scale, bias=0.0):
    axis = attributes.get("axis", -1) % x.ndim
    axes = tuple(range(axis, x.ndim))
    mean = x.mean(axis=axes, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=axes, keepdims=True)
    inverse = 1 / np.sqrt(variance + attributes.get("epsilon", 1e-5))
    return (x - mean) * inverse * scale + bias, mean, inverse


def _gelu(attributes, x):
    if attributes.get("approximate", b"none") == b"tanh":
        return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
    return x / 2 * (1 + _ERF(x / np.sqrt(2)))


def _trilu(attributes, x, k=0):
    return (np.triu if attributes.get("upper", 1) else np.tril)(x, int(k))


def _dropout(attributes, x, ratio=0.5, training=False):
    assert not training or not ratio, "the masks of Dropout are not defined by ONNX"
    return (x, np.ones(x.shape, np.bool_))


def _cross_entropy(attributes, scores, labels):
    """Mean over the labels that count, for scores [N, C]."""
    assert attributes.get("reduction", b"mean") == b"mean"
    counted = labels != attributes.get("ignore_index", -1 - max(labels.max(), 0))
    return OPERATORS["SoftmaxCrossEntropyLoss"].forward(attributes, scores[counted], labels[counted])


def _cast(attributes, x):
    """To a float means to the type that the evaluator computes in; see Evaluator."""
    return x.astype(attributes["to"])


FORWARD = {
    "Cast": _cast,
    "Cos": lambda a, x: np.cos(x),
    "Div": lambda a, x, y: x / y,
    "Dropout": _dropout,
    "Equal": lambda a, x, y: x == y,
    "Erf": lambda a, x: _ERF(x).astype(x.dtype),
    "Expand": lambda a, x, shape: np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape))),
    "Gelu": _gelu,
    "GlobalAveragePool": lambda a, x: x.mean(axis=tuple(range(2, x.ndim)), keepdims=True),
    "LayerNormalization": _layer_normalization,
    "Log": lambda a, x: np.log(x),
    "MatMul": lambda a, x, y: x @ y,
    "Neg": lambda a, x: -x,
    "Pow": lambda a, x, y: x ** y,
    "Range": lambda a, start, limit, delta: np.arange(start, limit, delta),
    "Reciprocal": lambda a, x: 1 / x,
    "ReduceMean": _reduction(np.mean),
    "ReduceSum": _reduction(np.sum),
    "Reshape": _reshape,
    "Shape": lambda a, x: np.array(x.shape[a.get("start", 0):a.get("end")], np.int64),
    "Sigmoid": lambda a, x: 1 / (1 + np.exp(-x)),
    "Sin": lambda a, x: np.sin(x),
    "Slice": _slice,
    "Softmax": _softmax,
    "SoftmaxCrossEntropyLoss": _cross_entropy,
    "Split": _split,
    "Sqrt": lambda a, x: np.sqrt(x),
    "Sub": lambda a, x, y: x - y,
    "Transpose": lambda a, x: np.transpose(x, a.get("perm")),
    "Trilu": _trilu,
    "Unsqueeze": _unsqueeze,
    "Where": lambda a, condition, x, y: np.where(condition, x, y),
}


class Evaluator:
    """Runs the graph of a model; all floats are of type `dtype`, f64 by default."""

    def __init__(self, model, dtype=np.float64):
        self.graph = model.graph
        self.dtype = dtype
        self.initializers = {t.name: self._typed(numpy_helper.to_array(t)) for t in model.graph.initializer}

    def _typed(self, array):
        return array.astype(self.dtype) if array.dtype.kind == "f" else array

    def _attributes(self, node):
        values = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        for key, value in values.items():
            if isinstance(value, TensorProto):
                values[key] = self._typed(numpy_helper.to_array(value))
        if node.op_type == "Cast":
            values["to"] = self.dtype if values["to"] == TensorProto.FLOAT else helper.mapping.TENSOR_TYPE_TO_NP_TYPE[
                values["to"]]
        if node.op_type == "BatchNormalization" and len(node.output) == 5:
            values["training_mode"] = 1
        return values

    def _node(self, node, inputs):
        attributes = self._attributes(node)
        if node.op_type in FORWARD:
            results = FORWARD[node.op_type](attributes, *inputs)
        else:
            results = OPERATORS[node.op_type].forward(attributes, *inputs)
        return results if isinstance(results, tuple) else (results,)

    def run(self, feeds):
        """All values by name; `feeds` gives those of the inputs."""
        values = {**self.initializers, **{name: self._typed(array) for name, array in feeds.items()}, "": None}
        for node in self.graph.node:
            values.update(zip(node.output, self._node(node, [values[name] for name in node.input])))
        return values
