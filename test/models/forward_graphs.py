"""The forward graphs of the digits models: nodes and seeded initializers, under the names that PyTorch would give."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8
CLASSES = 10


class GraphWriter:
    """Collects nodes and initializers of one graph in the order in which they are added."""

    def __init__(self, seed):
        self.random = np.random.RandomState(seed)
        self.nodes = []
        self.initializers = []

    def node(self, op, name, inputs, outputs, **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs, name=name, **attributes))
        return outputs[0]

    def constant(self, name, value):
        self.initializers.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def he_normal(self, name, shape):
        """A weight with outputs in dimension 0: He et al. 2015, standard deviation sqrt(2 / fan in)."""
        fan_in = int(np.prod(shape[1:]))
        value = self.random.standard_normal(shape) * np.sqrt(2.0 / fan_in)
        return self.constant(name, value.astype(np.float32))

    def bias(self, name, size, fan_in):
        """Uniform in +-1/sqrt(fan in), the convention of torch.nn."""
        bound = 1.0 / np.sqrt(fan_in)
        return self.constant(name, self.random.uniform(-bound, bound, size).astype(np.float32))

    def linear(self, name, x, inputs, outputs, result=None):
        weight = self.he_normal(name + ".weight", (outputs, inputs))
        bias = self.bias(name + ".bias", outputs, inputs)
        return self.node("Gemm", name, [x, weight, bias], [result or name + "_output"],
                         alpha=1.0, beta=1.0, transB=1)

    def convolution(self, name, x, inputs, outputs):
        """Without a bias: BatchNormalization follows, under which its gradient is zero but for rounding noise."""
        weight = self.he_normal(name + ".weight", (outputs, inputs, 3, 3))
        return self.node("Conv", name, [x, weight], [name + "_output"], kernel_shape=[3, 3],
                         pads=[1, 1, 1, 1], strides=[1, 1], dilations=[1, 1], group=1)

    def batch_normalization(self, name, x, channels, training):
        """With training: the op's running statistics are outputs NAME.running_mean.next and NAME.running_var.next."""
        starts = (("weight", np.ones), ("bias", np.zeros), ("running_mean", np.zeros), ("running_var", np.ones))
        operands = [self.constant(f"{name}.{part}", start(channels, np.float32)) for part, start in starts]
        results = [name + "_output"]
        attributes = {"epsilon": 1e-5, "momentum": 0.9}
        if training:
            results += [operand + ".next" for operand in operands[2:]]
            attributes["training_mode"] = 1
        return self.node("BatchNormalization", name, [x] + operands, results, **attributes)

    def loss(self, name="loss"):
        return self.node("SoftmaxCrossEntropyLoss", name, ["logits", "label"], [name], reduction="mean")


def value_info(name, element_type, shape):
    return helper.make_tensor_value_info(name, element_type, shape)


def input_value():
    return value_info("input", TensorProto.FLOAT, ["N", 1, 8, 8])


def label_value():
    return value_info("label", TensorProto.INT64, ["N"])


def logits_value():
    return value_info("logits", TensorProto.FLOAT, ["N", CLASSES])


def loss_value():
    return value_info("loss", TensorProto.FLOAT, [])


def add_mlp(graph):
    """64-128-64-10 with Relu; 17,226 parameters."""
    x = graph.node("Flatten", "flatten", ["input"], ["flatten_output"], axis=1)
    x = graph.node("Relu", "relu1", [graph.linear("fc1", x, 64, 128)], ["relu1_output"])
    x = graph.node("Relu", "relu2", [graph.linear("fc2", x, 128, 64)], ["relu2_output"])
    graph.linear("fc3", x, 64, CLASSES, result="logits")


def add_cnn(graph, training=False):
    """Two convolutions of 16 and 32 channels with BatchNormalization; 6,138 trainable parameters."""
    for index, (inputs, outputs) in enumerate(((1, 16), (16, 32)), start=1):
        x = "input" if index == 1 else "pool1_output"
        x = graph.convolution(f"conv{index}", x, inputs, outputs)
        x = graph.batch_normalization(f"bn{index}", x, outputs, training)
        x = graph.node("Relu", f"relu{index}", [x], [f"relu{index}_output"])
        graph.node("MaxPool" if index == 1 else "AveragePool", f"pool{index}", [x], [f"pool{index}_output"],
                   kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0])
    x = graph.node("Flatten", "flatten", ["pool2_output"], ["flatten_output"], axis=1)
    graph.linear("fc", x, 128, CLASSES, result="logits")


def add_dropout_mlp(graph):
    """64-64-10 with Dropout in the form of opset 13 and later: ratio and training_mode are constant scalar inputs.

    training_mode is true, as torch.onnx.export writes it for a graph that is meant to be trained; one scalar is an
    initializer and the other a Constant node, because exporters write both.
    """
    x = graph.node("Flatten", "flatten", ["input"], ["flatten_output"], axis=1)
    x = graph.node("Relu", "relu1", [graph.linear("fc1", x, 64, 64)], ["relu1_output"])
    ratio = graph.constant("dropout_ratio", np.array(0.25, np.float32))
    mode = graph.node("Constant", "dropout_mode", [], ["dropout_training_mode"],
                      value=numpy_helper.from_array(np.array(True)))
    x = graph.node("Dropout", "dropout", [x, ratio, mode], ["dropout_output"])
    graph.linear("fc2", x, 64, CLASSES, result="logits")


def make_model(graph, name, inputs, outputs, training_domain=False):
    """A ModelProto of what `graph` has collected."""
    proto = helper.make_graph(graph.nodes, name, inputs, outputs, initializer=graph.initializers)
    imports = [helper.make_opsetid("", OPSET)]
    if training_domain:
        imports.append(helper.make_opsetid("ai.onnx.preview.training", 1))
    return helper.make_model(proto, opset_imports=imports, ir_version=IR_VERSION, producer_name="tutti-test-models")


def make_forward(name, add, seed):
    """A forward graph: input `input`, output `logits`, symbolic batch N."""
    graph = GraphWriter(seed)
    add(graph)
    return make_model(graph, name, [input_value()], [logits_value()])
