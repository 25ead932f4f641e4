"""Graphs as tf2onnx writes those of Keras: channels last between transposes, names of variables with ReadVariableOp, casts to int32.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

from forms import form

SCORES = "softmax-cross-entropy"
KERAS = {"batch_name": "unk__10", "ir_version": 7}


def dense(g, x, path, inputs, outputs, out=None):
    """Of a matrix: MatMul and BiasAdd."""
    product = g("MatMul", x, g.weight(f"{path}/MatMul/ReadVariableOp:0", inputs, outputs), out=f"{path}/MatMul:0", name=f"{path}/MatMul")
    bias = g.weight(f"{path}/BiasAdd/ReadVariableOp:0", outputs, scale=0.1)
    return g("Add", product, bias, out=out or f"{path}/BiasAdd:0", name=f"{path}/BiasAdd")


@form("tf2onnx", 13, SCORES, **KERAS)
def keras_dense(g):
    g.input("dense_input", "f32", "normal", 6)
    g.label("i64", 5)
    h = g("Relu", dense(g, "dense_input", "sequential/dense", 6, 8), out="sequential/dense/Relu:0", name="sequential/dense/Relu")
    g("Identity", dense(g, h, "sequential/dense_1", 8, 5), out="dense_1", name="Identity")
    g.output("dense_1", dims=["unk__11", 5])


@form("tf2onnx", 13, SCORES, **KERAS)
def keras_channels_last(g):
    """Pictures [batch, height, width, channels], transposed before the first convolution and after the last."""
    g.input("input_1:0", "f32", "normal", 8, 8, 2, array="input_1")
    g.label("i64", 5)
    x = g("Transpose", "input_1:0", out="model/conv2d/Conv2D__6:0", name="model/conv2d/Conv2D__6", perm=[0, 3, 1, 2])
    x = g("Conv", x, g.weight("model/conv2d/Conv2D/ReadVariableOp:0", 4, 2, 3, 3), g.weight("model/conv2d/BiasAdd/ReadVariableOp:0", 4),
          out="model/conv2d/BiasAdd:0", name="model/conv2d/BiasAdd", auto_pad="SAME_UPPER", dilations=[1, 1], strides=[2, 2], kernel_shape=[3, 3], group=1)
    path = "model/batch_normalization/"
    x = g("BatchNormalization", x, g.weight(path + "ReadVariableOp:0", 4, value=1.0), g.weight(path + "ReadVariableOp_1:0", 4, value=0.0),
          g.weight(path + "FusedBatchNormV3/ReadVariableOp:0", 4, value=0.1, trained=False),
          g.weight(path + "FusedBatchNormV3/ReadVariableOp_1:0", 4, value=0.9, trained=False), out=path + "FusedBatchNormV3:0",
          name=path + "FusedBatchNormV3", epsilon=1e-3)
    x = g("LeakyRelu", x, out="model/leaky_re_lu/LeakyRelu:0", alpha=0.3)
    x = g("Conv", x, g.weight("model/depthwise_conv2d/depthwise/ReadVariableOp:0", 4, 1, 2, 2), out="model/depthwise_conv2d/depthwise:0",
          auto_pad="VALID", group=4, kernel_shape=[2, 2], strides=[1, 1], dilations=[1, 1])
    x = g("MaxPool", x, out="model/max_pooling2d/MaxPool:0", kernel_shape=[2, 2], strides=[2, 2], auto_pad="SAME_UPPER")
    x = g("Transpose", x, out="model/max_pooling2d/MaxPool__38:0", perm=[0, 2, 3, 1])
    x = g("Reshape", x, g.tensor("model/flatten/Const:0", np.array([-1, 16])), out="model/flatten/Reshape:0")
    dense(g, x, "model/dense", 16, 5, out="Identity:0")
    g.output("Identity:0", dims=["unk__41", 5])


@form("tf2onnx", 13, SCORES, **KERAS)
def keras_constants(g):
    """A frozen graph: its weights are Constant nodes."""
    g.input("x", "f32", "normal", 6)
    g.label("i64", 5)
    first, second = (g.constant(g.values_of(name, shape), np.float32, name=name) for name, shape in (("dense/kernel", (6, 8)), ("dense_1/kernel", (8, 5))))
    g("MatMul", g("Relu", g("MatMul", "x", first)), second, out="Identity")
    g.output("Identity", dims=["unk__2", 5])
    g.refuse("2 weights are constants of the graph, which nothing trains: 'dense/kernel' of node 'MatMul_0'")


def tensordot(g, x, path, inputs, outputs):
    """A Dense layer on sequences: the sizes are computed, in int32, and the middle is one matrix."""
    sizes = g("Cast", g("Shape", x, out=path + "/Tensordot/Shape:0"), to=6)
    free = g("Gather", sizes, g.tensor(path + "/Tensordot/free:0", np.array([0, 1])), axis=0)
    inner = g("Gather", sizes, g.tensor(path + "/Tensordot/axes:0", np.array([2])), axis=0)
    rows = g("ReduceProd", free, axes=[0], keepdims=0)
    columns = g("ReduceProd", inner, axes=[0], keepdims=0)
    stacked = g("Concat", g("Unsqueeze", rows, g.tensor(path + "/const_fold_opt__1", np.array([0]))), g("Unsqueeze", columns, path + "/const_fold_opt__1"), axis=0)
    matrix = g("Reshape", x, g("Cast", stacked, to=7), out=path + "/Tensordot/Reshape:0")
    product = g("MatMul", matrix, g.weight(path + "/Tensordot/ReadVariableOp:0", inputs, outputs))
    shape = g("Cast", g("Concat", free, g.tensor(path + "/Tensordot/Const_2:0", np.array([outputs], np.int32)), axis=0), to=7)
    return g("Add", g("Reshape", product, shape), g.weight(path + "/BiasAdd/ReadVariableOp:0", outputs), out=path + "/BiasAdd:0")


def moments(g, x, path, size):
    """A LayerNormalization as Keras computes it: by moments, with one factor and one shift."""
    mean = g("ReduceMean", x, axes=[-1], keepdims=1, out=path + "/moments/mean:0")
    apart = g("Sub", x, mean)
    variance = g("ReduceMean", g("Mul", apart, apart, out=path + "/moments/SquaredDifference:0"), axes=[-1], keepdims=1)
    root = g("Sqrt", g("Add", variance, g.tensor(path + "/batchnorm/add/y:0", np.float32(1e-3))))
    factor = g("Mul", g("Reciprocal", root, out=path + "/batchnorm/Rsqrt:0"), g.weight(path + "/batchnorm/mul/ReadVariableOp:0", size, value=1.0))
    shift = g("Sub", g.weight(path + "/batchnorm/ReadVariableOp:0", size, value=0.1), g("Mul", mean, factor))
    return g("Add", g("Mul", x, factor), shift, out=path + "/batchnorm/add_1:0")


@form("tf2onnx", 13, SCORES, **KERAS)
def keras_transformer(g):
    """Heads by Einsum, with an axis of their own; dense layers on sequences by their form; the error function."""
    g.input("tokens", "i32", 16, 5)
    g.label("i64", 5)
    x = g("Gather", g.weight("model/embedding/embedding_lookup/1017:0", 16, 8), "tokens", out="model/embedding/embedding_lookup/Identity_1:0")
    path = "model/multi_head_attention/"
    heads = {}
    for part in ("query", "key", "value"):
        kernel = g.weight(f"{path}{part}/einsum/Einsum/ReadVariableOp:0", 8, 2, 4)
        bias = g.weight(f"{path}{part}/add/ReadVariableOp:0", 2, 4)
        heads[part] = g("Add", g("Einsum", x, kernel, equation="abc,cde->abde", name=f"{path}{part}/einsum/Einsum"), bias)
    query = g("Mul", heads["query"], g.tensor(path + "Mul/y:0", np.float32(0.5)))
    scores = g("Einsum", heads["key"], query, equation="aecd,abcd->acbe", name=path + "einsum/Einsum")
    mixed = g("Einsum", g("Softmax", scores, axis=-1), heads["value"], equation="acbe,aecd->abcd", name=path + "einsum_1/Einsum")
    joined = g("Einsum", mixed, g.weight(path + "attention_output/einsum/Einsum/ReadVariableOp:0", 2, 4, 8), equation="abcd,cde->abe")
    x = moments(g, g("Add", g("Add", joined, g.weight(path + "attention_output/add/ReadVariableOp:0", 8)), x), "model/layer_normalization", 8)
    h = tensordot(g, x, "model/dense", 8, 12)
    erf = g("Erf", g("Div", h, g.tensor("model/dense/Gelu/Cast/x:0", np.float32(2 ** 0.5))))
    h = g("Mul", g("Mul", h, g.tensor("model/dense/Gelu/mul/x:0", np.float32(0.5))), g("Add", erf, g.tensor("model/dense/Gelu/add/x:0", np.float32(1))))
    x = g("Add", x, tensordot(g, h, "model/dense_1", 12, 8))
    dense(g, g("ReduceMean", x, axes=[1], keepdims=0), "model/dense_2", 8, 5, out="Identity:0")
    g.output("Identity:0", dims=["unk__77", 5])


def lstm(g, states):
    """A Keras LSTM: sequence first, one operator; `states` makes what it begins with."""
    g.input("lstm_input", "f32", "normal", 4, 3)
    g.label("i64", 5)
    x = g("Transpose", "lstm_input", out="sequential/lstm/transpose:0", perm=[1, 0, 2])
    begin = states(g) if states else ["", ""]
    _, last = g("LSTM", x, g.weight("sequential/lstm/PartitionedCall/while_body/W__10", 1, 24, 3), g.weight("sequential/lstm/PartitionedCall/while_body/R__11", 1, 24, 6),
                g.weight("sequential/lstm/PartitionedCall/while_body/B__12", 1, 48), "", *begin, outs=["lstm:0", "lstm:1"], direction="forward", hidden_size=6)
    h = g("Squeeze", last, g.tensor("const_axes__26", np.array([0])), out="lstm:2")
    dense(g, h, "sequential/dense", 6, 5, out="dense")
    g.output("dense", dims=["unk__30", 5])


@form("tf2onnx", 13, SCORES, **KERAS)
def keras_lstm(g):
    lstm(g, None)


@form("tf2onnx", 13, SCORES, **KERAS)
def keras_lstm_of_zeros(g):
    """The state begins with zeros of as many rows as there are samples, whose number goes through int32."""
    def zeros(g):
        sizes = g("Cast", g("Shape", "lstm_input", out="sequential/lstm/Shape:0"), to=6)
        count = g("Slice", sizes, g.tensor("const_starts__19", np.array([0])), g.tensor("const_ends__20", np.array([1])), g.tensor("const_axes__21", np.array([0])))
        shape = g("Cast", g("Concat", count, g.tensor("sequential/lstm/zeros/packed/1:0", np.array([6], np.int32)), axis=0), to=7)
        filled = g("Expand", g.tensor("sequential/lstm/zeros/Const:0", np.float32(0)), shape, out="sequential/lstm/zeros:0")
        return [g("Unsqueeze", filled, "const_axes__21", out=f"Unsqueeze__{i}:0") for i in (23, 24)]
    lstm(g, zeros)


@form("tf2onnx", 11, SCORES, **KERAS)
def keras_segmentation(g):
    """Enlarged by Resize and by a transposed convolution, hard swish by Relu6, the scores channels first again."""
    g.input("images", "f32", "normal", 4, 4, 2)
    g.label("i64", 3, 8, 8)
    x = g("Transpose", "images", perm=[0, 3, 1, 2])
    x = g("Conv", x, g.weight("conv/ReadVariableOp:0", 4, 2, 3, 3), pads=[1, 1, 1, 1], kernel_shape=[3, 3])
    shifted = g("Add", x, g.tensor("add/y:0", np.float32(3)))
    clipped = g("Clip", g("Relu", shifted), g.tensor("zero__1", np.float32(0)), g.tensor("six__2", np.float32(6)), out="Relu6:0")
    x = g("Mul", g("Mul", clipped, g.tensor("mul/y:0", np.float32(1 / 6))), x)
    up = g("Resize", x, g.tensor("roi__40", np.zeros(0, "f")), g.tensor("scales__41", np.array([1, 1, 2, 2], "f")), mode="linear",
           coordinate_transformation_mode="half_pixel", nearest_mode="floor")
    back = g("Transpose", g("Transpose", up, perm=[0, 2, 3, 1]), perm=[0, 3, 1, 2])
    learned = g("ConvTranspose", x, g.weight("conv2d_transpose/ReadVariableOp:0", 4, 3, 2, 2), strides=[2, 2], kernel_shape=[2, 2], auto_pad="VALID")
    scores = g("Conv", back, g.weight("conv_1/ReadVariableOp:0", 3, 4, 1, 1), g.weight("conv_1/bias:0", 3), kernel_shape=[1, 1])
    g("Add", scores, learned, out="Identity:0")
    g.output("Identity:0", dims=["unk__50", 3, 8, 8])
