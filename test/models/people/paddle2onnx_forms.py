"""Graphs as paddle2onnx writes them: a size of -1 for the batch, `linear_0.w_0`, `p2o.` nodes, values named after operators.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

from forms import form

SCORES = "softmax-cross-entropy"
PADDLE = {"batch_name": -1, "ir_version": 7}


def linear(g, x, number, inputs, outputs):
    product = g("MatMul", x, g.weight(f"linear_{number}.w_0", inputs, outputs), out=f"linear_{number}.tmp_0", name=f"p2o.MatMul.{number}")
    return g("Add", product, g.weight(f"linear_{number}.b_0", outputs), out=f"linear_{number}.tmp_1", name=f"p2o.Add.{number}")


@form("paddle2onnx", 11, SCORES, **PADDLE)
def paddle_linear(g):
    g.input("x", "f32", "normal", 6)
    g.label("i64", 5)
    h = g("Relu", linear(g, "x", 0, 6, 8), out="relu_0.tmp_0", name="p2o.Relu.0")
    linear(g, h, 1, 8, 5)
    g.output("linear_1.tmp_1", dims=[-1, 5])


@form("paddle2onnx", 11, SCORES, **PADDLE)
def paddle_picture(g):
    """A squeeze and excitation with hard activations, and a matrix whose rows are read from a shape."""
    g.input("image", "f32", "normal", 3, 8, 8)
    g.label("i64", 5)
    x = g("Conv", "image", g.weight("conv2d_0.w_0", 4, 3, 3, 3), out="conv2d_0.tmp_0", name="p2o.Conv.0", pads=[1, 1, 1, 1], strides=[2, 2], dilations=[1, 1],
          group=1, kernel_shape=[3, 3])
    x = g("BatchNormalization", x, g.weight("batch_norm2d_0.w_0", 4, value=1.0), g.weight("batch_norm2d_0.b_0", 4, value=0.0),
          g.weight("batch_norm2d_0.w_1", 4, value=0.1, trained=False), g.weight("batch_norm2d_0.w_2", 4, value=1.0, trained=False),
          out="batch_norm_0.tmp_3", name="p2o.BatchNormalization.0", epsilon=1e-5, momentum=0.9)
    x = g("Mul", x, g("HardSigmoid", x, alpha=1 / 6, beta=0.5), out="hardswish_0.tmp_0")
    s = g("GlobalAveragePool", x, out="pool2d_0.tmp_0", name="p2o.GlobalAveragePool.0")
    s = g("Relu", g("Conv", s, g.weight("conv2d_1.w_0", 2, 4, 1, 1), g.weight("conv2d_1.b_0", 2), kernel_shape=[1, 1]))
    s = g("HardSigmoid", g("Conv", s, g.weight("conv2d_2.w_0", 4, 2, 1, 1), g.weight("conv2d_2.b_0", 4), kernel_shape=[1, 1]), alpha=0.2, beta=0.5)
    x = g("AveragePool", g("Mul", x, s, out="elementwise_mul_0"), kernel_shape=[2, 2], strides=[2, 2], count_include_pad=0)
    count = g("Slice", g("Shape", x, name="p2o.Shape.0"), *(g.constant([value], name=f"p2o.helper.constant.{i}") for i, value in enumerate((0, 1, 0))))
    flat = g("Reshape", x, g("Concat", count, g.constant([16], name="p2o.helper.constant.3"), axis=0), out="flatten_0.tmp_0")
    linear(g, flat, 0, 16, 5)
    g.output("linear_0.tmp_1", dims=[-1, 5])


@form("paddle2onnx", 13, SCORES, **PADDLE)
def paddle_constants(g):
    """What version 1.0 writes: its weights are Constant nodes."""
    g.input("x", "f32", "normal", 6)
    g.label("i64", 5)
    weights = [g.constant(g.values_of(name, shape), np.float32, name=name) for name, shape in (("linear_0.w_0", (6, 5)), ("linear_0.b_0", (5,)))]
    g("Add", g("MatMul", "x", weights[0], name="p2o.MatMul.0"), weights[1], out="linear_0.tmp_1", name="p2o.Add.0")
    g.output("linear_0.tmp_1", dims=[-1, 5])
    g.refuse("1 weight is a constant of the graph, which nothing trains: 'linear_0.w_0'")


def layer_norm(g, x, number, size):
    mean = g("ReduceMean", x, axes=[-1], keepdims=1)
    apart = g("Sub", x, mean)
    square = g("Pow", apart, g.constant([2.0], np.float32))
    root = g("Sqrt", g("Add", g("ReduceMean", square, axes=[-1], keepdims=1), g.constant([1e-5], np.float32)))
    scaled = g("Mul", g("Div", apart, root), g.weight(f"layer_norm_{number}.w_0", size, value=1.0))
    return g("Add", scaled, g.weight(f"layer_norm_{number}.b_0", size, value=0.0), out=f"layer_norm_{number}.tmp_2")


@form("paddle2onnx", 11, SCORES, **PADDLE)
def paddle_ernie(g):
    """A mask that is made of the words, heads by Reshape with 0 for what stays, Squeeze and Split by attributes."""
    g.input("input_ids", "i64", 16, 5)
    g.label("i64", 5)
    used = g("Cast", g("Equal", "input_ids", g.constant(0)), to=1, name="p2o.Cast.0")
    mask = g("Unsqueeze", g("Mul", used, g.constant([-1e4], np.float32)), axes=[1, 2], out="unsqueeze2_0.tmp_0")
    x = g("Add", g("Gather", g.weight("embedding_0.w_0", 16, 8, scale=0.5), "input_ids", axis=0), g.weight("embedding_1.w_0", 5, 8))
    x = layer_norm(g, x, 0, 8)
    project = linear(g, x, 0, 8, 24)
    parts = g("Split", project, outs=["split_0.tmp_0", "split_0.tmp_1", "split_0.tmp_2"], axis=2, split=[8, 8, 8])
    query, key, value = (g("Transpose", g("Reshape", part, g.constant([0, 0, 2, 4])), perm=[0, 2, 1, 3]) for part in parts)
    scores = g("MatMul", g("Mul", query, g.constant([0.5], np.float32)), g("Transpose", key, perm=[0, 1, 3, 2]), out="matmul_v2_0.tmp_0")
    shares = g("Softmax", g("Add", scores, mask), axis=3, out="softmax_0.tmp_0")
    joined = g("Reshape", g("Transpose", g("MatMul", shares, value), perm=[0, 2, 1, 3]), g.constant([0, 0, 8]), out="reshape2_3.tmp_0")
    x = layer_norm(g, g("Add", x, linear(g, joined, 1, 8, 8)), 1, 8)
    h = linear(g, x, 2, 8, 12)
    erf = g("Add", g("Erf", g("Div", h, g.constant([2 ** 0.5], np.float32))), g.constant([1.0], np.float32))
    x = layer_norm(g, g("Add", x, linear(g, g("Mul", g("Mul", h, erf), g.constant([0.5], np.float32)), 3, 12, 8)), 2, 8)
    first = g("Squeeze", g("Slice", x, g.constant([0]), g.constant([1]), g.constant([1])), axes=[1], out="slice_0.tmp_0")
    linear(g, g("Tanh", linear(g, first, 4, 8, 8)), 5, 8, 5)
    g.output("linear_5.tmp_1", dims=[-1, 5])


@form("paddle2onnx", 12, "mse", **PADDLE)
def paddle_recurrent(g):
    """A GRU in both directions, its gates in ONNX's order, its result joined again; a batch in all shapes by -1."""
    g.input("x", "f32", "normal", 4, 3)
    g.label("f32", "normal", 2)
    turned = g("Transpose", "x", perm=[1, 0, 2], name="p2o.Transpose.0")
    states, _ = g("GRU", turned, g.weight("gru_cell_0.w_0", 2, 15, 3), g.weight("gru_cell_0.w_1", 2, 15, 5), g.weight("gru_cell_0.b_0", 2, 30),
                  outs=["rnn_0.tmp_0", "rnn_0.tmp_1"], direction="bidirectional", hidden_size=5, linear_before_reset=1, name="p2o.GRU.0")
    joined = g("Reshape", g("Transpose", states, perm=[2, 0, 1, 3]), g.constant([0, 0, -1]), out="rnn_0.tmp_2")
    linear(g, g("ReduceMax", joined, axes=[1], keepdims=0), 0, 10, 2)
    g.output("linear_0.tmp_1", dims=[-1, 2])
