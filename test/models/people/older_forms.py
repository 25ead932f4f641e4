"""Graphs in the forms of older operator sets and exporters: PyTorch 0.4 to 1.4, Caffe2, MXNet, Chainer.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

from forms import form

SCORES = "softmax-cross-entropy"


@form("PyTorch 0.4", 7, SCORES, ir_version=3, initializers_are_inputs=True)
def numbered_names(g):
    """Names that are numbers, initializers that are inputs too, a dropout of an attribute, an upsampling of another."""
    g.input("0", "f32", "normal", 2, 4, 4, array="x")
    g.label("i64", 5)
    g("Conv", "0", g.weight("1", 4, 2, 3, 3), g.weight("2", 4), out="9", name="", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1],
      dilations=[1, 1], group=1)
    g("BatchNormalization", "9", g.weight("3", 4, value=1.0), g.weight("4", 4, value=0.0), g.weight("5", 4, value=0.1, trained=False),
      g.weight("6", 4, value=1.1, trained=False), out="10", name="", epsilon=1e-5, momentum=0.9)
    g("Upsample", "10", out="11", name="", mode="nearest", scales=[1.0, 1.0, 2.0, 2.0])
    g("Dropout", "11", outs=["12", "13"], name="", ratio=0.0)
    g("AveragePool", "12", out="14", name="", kernel_shape=[2, 2], strides=[2, 2])
    g("Reshape", "14", g.constant([-1, 64], name="15"), out="16", name="")
    g("Gemm", "16", g.weight("7", 5, 64), g.weight("8", 5), out="17", name="", alpha=1.0, beta=1.0, transB=1)
    g.output("17", dims=["batch", 5])


@form("PyTorch 1.1", 9, SCORES, ir_version=4)
def trained_batch_norm(g):
    """A batch normalization that trains because it has five outputs, Upsample by an input, Slice and Pad by attributes."""
    g.input("input", "f32", "normal", 2, 4, 4)
    g.label("i64", 5)
    g("Conv", "input", g.weight("conv.weight", 4, 2, 3, 3), out="conv", pads=[1, 1, 1, 1], kernel_shape=[3, 3])
    g("BatchNormalization", "conv", g.weight("bn.weight", 4, value=1.0), g.weight("bn.bias", 4, value=0.0), g.tensor("bn.running_mean", np.zeros(4, "f")),
      g.tensor("bn.running_var", np.ones(4, "f")), outs=["norm", "mean", "var", "saved_mean", "saved_var"], epsilon=1e-5, momentum=0.9)
    up = g("Upsample", "norm", g.constant([1, 1, 2, 2], np.float32), mode="nearest")
    cut = g("Slice", up, axes=[2, 3], starts=[1, 1], ends=[2**31 - 1, -1])
    padded = g("Pad", cut, mode="constant", pads=[0, 0, 0, 1, 0, 0, 0, 0], value=0.5)
    pooled = g("ReduceMean", g("LeakyRelu", padded, alpha=0.1), axes=[2], keepdims=0)
    flat = g("Squeeze", g("Unsqueeze", g("Flatten", pooled, axis=1), axes=[2]), axes=[2])
    g("Gemm", flat, g.weight("fc.weight", 5, 28), g.weight("fc.bias", 5), out="output", transB=1)
    g.output("output", dims=["batch", 5])


@form("MXNet", 8, SCORES, ir_version=3, initializers_are_inputs=True)
def mxnet(g):
    """The names of a symbol's JSON, a spatial batch normalization, sums and maxima of several, response normalization."""
    g.input("data", "f32", "normal", 3, 6, 6)
    g.label("i64", 5)
    g("Conv", "data", g.weight("conv0_weight", 4, 3, 3, 3), g.weight("conv0_bias", 4), out="conv0", name="conv0", kernel_shape=[3, 3], pads=[1, 1, 1, 1],
      strides=[1, 1], group=1, dilations=[1, 1])
    g("BatchNormalization", "conv0", g.weight("bn0_gamma", 4, value=1.0), g.weight("bn0_beta", 4, value=0.0),
      g.weight("bn0_moving_mean", 4, value=0.1, trained=False), g.weight("bn0_moving_var", 4, value=1.2, trained=False), out="bn0", name="bn0",
      epsilon=1e-3, momentum=0.9, spatial=1)
    g("LRN", "bn0", out="lrn0", name="lrn0", alpha=1e-2, beta=0.75, bias=2.0, size=3)
    g("Sum", "lrn0", "bn0", out="plus0", name="plus0")
    g("Max", "plus0", "conv0", out="max0", name="max0")
    g("GlobalMaxPool", "max0", out="pool0", name="pool0")
    g("GlobalAveragePool", "plus0", out="pool1", name="pool1")
    g("Concat", "pool0", "pool1", out="concat0", name="concat0", axis=1)
    g("Flatten", "concat0", out="flatten0", name="flatten0")
    g("Gemm", "flatten0", g.weight("fullyconnected0_weight", 5, 8), g.weight("fullyconnected0_bias", 5), out="fullyconnected0", name="fullyconnected0",
      alpha=1.0, beta=1.0, transA=0, transB=1)
    g.output("fullyconnected0", dims=["batch", 5])


@form("PyTorch 1.4", 11, SCORES)
def softmax_of_matrices(g):
    """Softmax and LogSoftmax as they were before operator set 13: over all dimensions from the axis on, together."""
    g.input("x", "f32", "normal", 3, 4)
    g.label("i64", 5)
    h = g("MatMul", "x", g.weight("w", 4, 6))
    together = g("Softmax", h)  # axis 1: over 3 times 6
    logs = g("LogSoftmax", h, axis=1)
    last = g("Hardmax", h, axis=2)
    both = g("Add", g("Mul", together, logs), g("Mul", last, h))
    flat = g("Reshape", both, g.constant([-1, 18]))
    g("Gemm", flat, g.weight("fc.weight", 18, 5), g.weight("fc.bias", 5), out="y")
    g.output("y", dims=["batch", 5])


@form("PyTorch 1.2", 10, SCORES)
def attributes_of_ten(g):
    """TopK by an input, Slice by inputs, Clip, Split and ReduceSum by attributes, MaxPool with holes and ceil mode, Dropout by attribute."""
    g.input("x", "f32", "normal", 2, 7, 7)
    g.label("i64", 5)
    c = g("Conv", "x", g.weight("w", 6, 2, 2, 2))
    pooled = g("MaxPool", c, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1, dilations=[1, 1])
    left, right = g("Split", g("Clip", pooled, min=-0.8, max=0.9), outs=["left", "right"], axis=1, split=[2, 4])
    gate = g("Mul", g("Sigmoid", left), g("Slice", right, g.constant([1]), g.constant([3]), g.constant([1]), g.constant([1])))
    summed = g("ReduceSum", g("Dropout", gate, ratio=0.0), axes=[3], keepdims=0)
    flat = g("Flatten", summed)
    best, _ = g("TopK", flat, g.constant([4]), outs=["best", "places"], axis=1)
    g("Gemm", g("Concat", best, flat, axis=1), g.weight("fc.weight", 10, 5), g.weight("fc.bias", 5), out="y")
    g.output("y", dims=["batch", 5])


@form("PyTorch 1.3", 9, SCORES)
def scatter_of_nine(g):
    """Scatter, before it was called ScatterElements; OneHot, and Where by a comparison."""
    g.input("x", "f32", "normal", 6)
    g.input("place", "i64", 6, 2)
    g.label("i64", 5)
    h = g("Tanh", g("Gemm", "x", g.weight("w", 6, 6), g.weight("b", 6)))
    scattered = g("Scatter", h, "place", g("Slice", g("Mul", h, h), axes=[1], starts=[0], ends=[2]), axis=1)
    hot = g("OneHot", "place", g.constant(6), g.constant([0.0, 1.0], np.float32), axis=-1)
    joined = g("Where", g("Greater", h, g.constant(0.0, np.float32)), scattered, g("ReduceSum", hot, axes=[1], keepdims=0))
    g("Gemm", joined, g.weight("fc.weight", 6, 5), g.weight("fc.bias", 5), out="y")
    g.output("y", dims=["batch", 5])


@form("PyTorch 1.6", 12, SCORES)
def dropout_of_inputs(g):
    """Dropout whose ratio and mode are inputs, as those of Clip and Pad are; one that has no outputs but the first."""
    g.input("x", "f32", "normal", 6)
    g.label("i64", 5)
    h = g("Gemm", "x", g.weight("fc1.weight", 8, 6), g.weight("fc1.bias", 8), transB=1)
    h = g("Clip", h, g.constant(-1.0, np.float32), g.constant(1.5, np.float32))
    h, _ = g("Dropout", h, g.constant(0.0, np.float32), g.constant(False, np.bool_), outs=["kept", "mask"])
    h = g("Dropout", h, g.constant(0.0, np.float32), g.constant(True, np.bool_))
    h = g("Pad", h, g.constant([0, 1, 0, 1]), g.constant(0.25, np.float32), mode="constant")
    g("Gemm", h, g.weight("fc2.weight", 5, 10), g.weight("fc2.bias", 5), out="y", transB=1)
    g.output("y", dims=["batch", 5])


@form("Caffe2", 6, SCORES, ir_version=3, initializers_are_inputs=True)
def operator_set_six(g):
    """Operands that attributes put along a dimension, slopes of channels, and what is_test says."""
    g.input("data", "f32", "normal", 2, 4, 4)
    g.label("i64", 5)
    conv = g("Conv", "data", g.weight("conv_w", 4, 2, 3, 3), kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    scaled = g("Mul", conv, g.weight("scale", 4, value=1.1), broadcast=1, axis=1)
    moved = g("Add", scaled, g.weight("rows", 4, 1), broadcast=1, axis=-2)
    norm = g("BatchNormalization", moved, g.weight("gamma", 4, value=1.0), g.weight("beta", 4, value=0.0), g.weight("mean", 4, value=0.1, trained=False),
             g.weight("var", 4, value=1.2, trained=False), is_test=1, spatial=1)
    bent = g("PRelu", norm, g.weight("slopes", 4, value=0.2))
    g("Dropout", g("Flatten", bent), outs=["dropped"], ratio=0.5, is_test=1)
    g("Gemm", "dropped", g.weight("w", 64, 5), g.weight("b", 5), out="y", broadcast=1)
    g.output("y", dims=["batch", 5])


@form("Caffe2", 5, SCORES, ir_version=3, initializers_are_inputs=True)
def operator_set_five(g):
    """Too old."""
    g.input("data", "f32", "normal", 6)
    g.label("i64", 5)
    g("Gemm", "data", g.weight("w", 6, 5), g.weight("b", 5), out="y", broadcast=1)
    g.output("y", dims=["batch", 5])
    g.refuse("the model uses version 5 of the operator set; versions 6 to 24 are supported")


@form("Chainer", 9, SCORES, ir_version=4, batch=8)
def batch_of_the_file(g):
    """A batch that the file fixes, at one, and a reshape that says it."""
    g.batch_name = 1
    g.input("Input_0", "f32", "normal", 2, 3, array="x")
    g.label("i64", 5)
    flat = g("Reshape", "Input_0", g.constant([1, 6]))
    h = g("Relu", g("Gemm", flat, g.weight("l1_W", 8, 6), g.weight("l1_b", 8), transB=1))
    g("Gemm", h, g.weight("l2_W", 5, 8), g.weight("l2_b", 5), transB=1, out="LinearFunction_1")
    g.output("LinearFunction_1", dims=[1, 5])
