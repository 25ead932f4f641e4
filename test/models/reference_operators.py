"""The operators of the test models in plain numpy: each with its value and its vector-Jacobian product.

This is the oracle of the tests: written from the ONNX operator texts, independent of Tutti, and itself checked against
finite differences in test_reference.py. Works in the type of its inputs (f32 or f64). All images are [N, C, H, W].
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


class Operator:
    """One operator: forward(attributes, *inputs) -> tuple of outputs; backward(...) -> gradient per input or None."""

    def __init__(self, forward, backward=None):
        self.forward = forward
        self.backward = backward


def _flatten(attributes, x):
    axis = attributes.get("axis", 1)
    return (x.reshape(int(np.prod(x.shape[:axis])), -1),)


def _gemm(attributes, a, b, c=None):
    a = a.T if attributes.get("transA") else a
    b = b.T if attributes.get("transB") else b
    y = attributes.get("alpha", 1.0) * (a @ b)
    return (y if c is None else y + attributes.get("beta", 1.0) * c,)


def _gemm_backward(attributes, inputs, outputs, gradient):
    a, b = inputs[:2]
    alpha, trans_a, trans_b = attributes.get("alpha", 1.0), attributes.get("transA"), attributes.get("transB")
    a, b = (a.T if trans_a else a), (b.T if trans_b else b)
    da, db = alpha * gradient @ b.T, alpha * a.T @ gradient
    result = [da.T if trans_a else da, db.T if trans_b else db]
    if len(inputs) > 2:
        result.append(attributes.get("beta", 1.0) * sum_to_shape(gradient, inputs[2].shape))
    return result


def sum_to_shape(gradient, shape):
    """Undoes broadcasting from `shape`: sums what was repeated."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    repeated = tuple(i for i, size in enumerate(shape) if size == 1 and gradient.shape[i] != 1)
    return gradient.sum(axis=repeated, keepdims=True)


def _gather(attributes, data, indices):
    return (np.take(data, indices, axis=attributes.get("axis", 0)),)


def _gather_backward(attributes, inputs, outputs, gradient):
    """Each gradient goes back to the entry that it came from; entries that were taken twice get the sum."""
    data, indices = inputs
    axis = attributes.get("axis", 0)
    result = np.zeros(np.moveaxis(data, axis, 0).shape, gradient.dtype)
    moved = np.moveaxis(gradient, range(axis, axis + indices.ndim), range(indices.ndim))
    np.add.at(result, indices, moved)
    return [np.moveaxis(result, 0, axis), None]


def _concat_backward(attributes, inputs, outputs, gradient):
    axis = attributes["axis"]
    return np.split(gradient, np.cumsum([x.shape[axis] for x in inputs])[:-1], axis=axis)


def _mul_backward(attributes, inputs, outputs, gradient):
    a, b = inputs
    return [sum_to_shape(gradient * b, a.shape), sum_to_shape(gradient * a, b.shape)]


def _reduce_mean(attributes, x):
    return (x.mean(axis=tuple(attributes["axes"]), keepdims=bool(attributes.get("keepdims", 1))),)


def _reduce_mean_backward(attributes, inputs, outputs, gradient):
    x, axes = inputs[0], tuple(attributes["axes"])
    kept = gradient.reshape([1 if i in axes else size for i, size in enumerate(x.shape)])
    return [np.broadcast_to(kept, x.shape) / np.prod([x.shape[i] for i in axes]).astype(x.dtype)]


def _padded(x, pads, value):
    top, left, bottom, right = pads
    return np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=value)


def _windows(attributes, x, kernel, fill):
    """[N, C, OH, OW, KH, KW] views of the padded image."""
    padded = _padded(x, attributes.get("pads", [0] * 4), fill)
    strides = attributes.get("strides", [1, 1])
    return sliding_window_view(padded, kernel, axis=(2, 3))[:, :, ::strides[0], ::strides[1]]


def _fold(attributes, windows, shape):
    """The transpose of _windows: adds every window back into an image of `shape`."""
    top, left, bottom, right = attributes.get("pads", [0] * 4)
    strides = attributes.get("strides", [1, 1])
    n, c, height, width = shape
    image = np.zeros((n, c, height + top + bottom, width + left + right), windows.dtype)
    rows, columns = windows.shape[2] * strides[0], windows.shape[3] * strides[1]
    for i in range(windows.shape[4]):
        for j in range(windows.shape[5]):
            image[:, :, i:i + rows:strides[0], j:j + columns:strides[1]] += windows[..., i, j]
    return image[:, :, top:top + height, left:left + width]


def _convolution(attributes, x, w, b=None):
    y = np.einsum("nchwij,ocij->nohw", _windows(attributes, x, w.shape[2:], 0), w, optimize=True)
    return (y if b is None else y + b[:, None, None],)


def _convolution_backward(attributes, inputs, outputs, gradient):
    x, w = inputs[:2]
    windows = np.einsum("nohw,ocij->nchwij", gradient, w, optimize=True)
    dw = np.einsum("nohw,nchwij->ocij", gradient, _windows(attributes, x, w.shape[2:], 0), optimize=True)
    return [_fold(attributes, windows, x.shape), dw] + ([gradient.sum(axis=(0, 2, 3))] if len(inputs) > 2 else [])


def _max_pool(attributes, x):
    return (_windows(attributes, x, attributes["kernel_shape"], -np.inf).max(axis=(4, 5)),)


def _max_pool_backward(attributes, inputs, outputs, gradient):
    """All of a window's gradient goes to its first maximum in row-major order."""
    windows = _windows(attributes, inputs[0], attributes["kernel_shape"], -np.inf)
    flat = windows.reshape(windows.shape[:4] + (-1,))
    chosen = np.zeros(flat.shape, gradient.dtype)
    np.put_along_axis(chosen, flat.argmax(axis=-1)[..., None], gradient[..., None], axis=-1)
    return [_fold(attributes, chosen.reshape(windows.shape), inputs[0].shape)]


def _average_pool(attributes, x):
    assert not any(attributes.get("pads", [])), "the digits models pool without padding"
    return (_windows(attributes, x, attributes["kernel_shape"], 0).mean(axis=(4, 5)),)


def _average_pool_backward(attributes, inputs, outputs, gradient):
    kernel = attributes["kernel_shape"]
    spread = gradient[..., None, None] / np.prod(kernel).astype(gradient.dtype)
    return [_fold(attributes, np.broadcast_to(spread, gradient.shape + tuple(kernel)), inputs[0].shape)]


def _normalized(x, mean, variance, epsilon):
    return (x - mean[:, None, None]) / np.sqrt(variance + epsilon)[:, None, None]


def _batch_normalization(attributes, x, scale, bias, running_mean, running_var):
    mean, variance, results = running_mean, running_var, ()
    if attributes.get("training_mode"):
        keep = attributes.get("momentum", 0.9)
        mean, variance = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))
        results = (running_mean * keep + mean * (1 - keep), running_var * keep + variance * (1 - keep))
    y = _normalized(x, mean, variance, attributes.get("epsilon", 1e-5)) * scale[:, None, None] + bias[:, None, None]
    return (y,) + results


def _batch_normalization_backward(attributes, inputs, outputs, gradient):
    """Training mode only; the gradient does not flow into the running statistics."""
    x, scale = inputs[:2]
    epsilon, axes = attributes.get("epsilon", 1e-5), (0, 2, 3)
    variance = x.var(axis=axes)
    unit = _normalized(x, x.mean(axis=axes), variance, epsilon)
    dscale, dbias = (gradient * unit).sum(axis=axes), gradient.sum(axis=axes)
    count = x.size // x.shape[1]
    centred = gradient - (dbias / count)[:, None, None] - unit * (dscale / count)[:, None, None]
    return [centred * (scale / np.sqrt(variance + epsilon))[:, None, None], dscale, dbias, None, None]


def _softmax(logits):
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def _cross_entropy(attributes, logits, labels):
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_sum = np.log(np.exp(shifted).sum(axis=1))
    return ((log_sum - shifted[np.arange(len(labels)), labels]).mean(),)


def _cross_entropy_backward(attributes, inputs, outputs, gradient):
    logits, labels = inputs
    result = _softmax(logits)
    result[np.arange(len(labels)), labels] -= 1
    return [result * (gradient / len(labels)), None]


def _momentum(attributes, rate, count, *tensors):
    """ai.onnx.preview.training Momentum: (weights, gradients, velocities) -> (weights, velocities)."""
    assert attributes["mode"] == b"standard"
    third = len(tensors) // 3
    weights, gradients, velocities = tensors[:third], tensors[third:2 * third], tensors[2 * third:]
    beta = attributes["beta"] if count > 0 else 1.0
    gradients = [attributes["norm_coefficient"] * w + g for w, g in zip(weights, gradients)]
    moved = [attributes["alpha"] * v + beta * g for v, g in zip(velocities, gradients)]
    return tuple(w - rate * v for w, v in zip(weights, moved)) + tuple(moved)


def _adam(attributes, rate, count, *tensors):
    """ai.onnx.preview.training Adam: (weights, gradients, V, H) -> (weights, V, H)."""
    fourth = len(tensors) // 4
    weights, gradients, first, second = (tensors[i * fourth:(i + 1) * fourth] for i in range(4))
    alpha, beta, count = attributes["alpha"], attributes["beta"], float(count)
    if count > 0:
        rate = rate * np.asarray(np.sqrt(1 - beta ** count) / (1 - alpha ** count), rate.dtype)
    gradients = [attributes["norm_coefficient"] * w + g for w, g in zip(weights, gradients)]
    first = [alpha * v + (1 - alpha) * g for v, g in zip(first, gradients)]
    second = [beta * h + (1 - beta) * g * g for h, g in zip(second, gradients)]
    shrink = 1 - attributes["norm_coefficient_post"]
    moved = [(w - rate * v / (np.sqrt(h) + attributes["epsilon"])) * shrink for w, v, h in zip(weights, first, second)]
    return tuple(moved) + tuple(first) + tuple(second)


OPERATORS = {
    "Flatten": Operator(_flatten, lambda a, inputs, outputs, g: [g.reshape(inputs[0].shape)]),
    "Gemm": Operator(_gemm, _gemm_backward),
    "Relu": Operator(lambda a, x: (np.maximum(x, 0),), lambda a, inputs, outputs, g: [g * (inputs[0] > 0)]),
    "Gather": Operator(_gather, _gather_backward),
    "Concat": Operator(lambda a, *x: (np.concatenate(x, axis=a["axis"]),), _concat_backward),
    "Mul": Operator(lambda a, x, y: (x * y,), _mul_backward),
    "ReduceMean": Operator(_reduce_mean, _reduce_mean_backward),
    "Tanh": Operator(lambda a, x: (np.tanh(x),), lambda a, inputs, outputs, g: [g * (1 - outputs[0] ** 2)]),
    "Conv": Operator(_convolution, _convolution_backward),
    "MaxPool": Operator(_max_pool, _max_pool_backward),
    "AveragePool": Operator(_average_pool, _average_pool_backward),
    "BatchNormalization": Operator(_batch_normalization, _batch_normalization_backward),
    "SoftmaxCrossEntropyLoss": Operator(_cross_entropy, _cross_entropy_backward),
    "Add": Operator(lambda a, x, y: (x + y,)),
    "Constant": Operator(lambda a: (a["value"],)),
    "ConstantOfShape": Operator(lambda a, shape: (np.full(shape, a["value"][0]),)),
    "Momentum": Operator(_momentum),
    "Adam": Operator(_adam),
}
