"""The digits models as training models of the ONNX standard: ModelProto.training_info with Gradient and an optimizer."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import forward_graphs as forward

TRAINING_DOMAIN = "ai.onnx.preview.training"


def trainable_names(model):
    """Float initializers of the model except running statistics, in file order."""
    return [t.name for t in model.graph.initializer
            if t.data_type == TensorProto.FLOAT and not t.name.split(".")[-1].startswith("running_")]


def shape_of(model, name):
    return next(list(t.dims) for t in model.graph.initializer if t.name == name)


class AlgorithmWriter:
    """Builds one TrainingInfoProto for a model: gradient of `loss`, one optimizer node, a counter of steps."""

    def __init__(self, model):
        self.model = model
        self.parameters = trainable_names(model)
        self.nodes = []
        self.initializers = []
        self.updates = {}
        self.outputs = []

    def initializer(self, name, value):
        self.initializers.append(numpy_helper.from_array(value, name))

    def update(self, variable, value, element_type, shape):
        """After the step, `variable` becomes `value`, an output of the algorithm."""
        self.updates[variable] = value
        self.outputs.append(forward.value_info(value, element_type, shape))

    def state_names(self, kind):
        return [f"{name}.{kind}" for name in self.parameters]

    def add_loss(self):
        self.nodes.append(helper.make_node("SoftmaxCrossEntropyLoss", ["logits", "label"], ["loss"], name="loss",
                                           reduction="mean"))
        self.outputs.append(forward.loss_value())

    def add_gradient(self):
        data = ["input", "label"]
        self.nodes.append(helper.make_node("Gradient", self.parameters + data,
                                           [name + ".gradient" for name in self.parameters], name="gradient",
                                           domain=TRAINING_DOMAIN, xs=self.parameters, zs=data, y="loss"))

    def add_step_counter(self):
        self.initializer("T", np.array(0, np.int64))
        self.initializer("T_increment", np.array(1, np.int64))
        self.nodes.append(helper.make_node("Add", ["T", "T_increment"], ["T.next"], name="count_step"))
        self.update("T", "T.next", TensorProto.INT64, [])

    def add_optimizer(self, op, kinds, learning_rate, **attributes):
        """`kinds`: names of the optimizer's states per parameter; operands are grouped as the standard says."""
        self.initializer("learning_rate", np.array(learning_rate, np.float32))
        groups = [self.state_names(kind) for kind in kinds]
        for states in groups:
            for state, parameter in zip(states, self.parameters):
                self.initializer(state, np.zeros(shape_of(self.model, parameter), np.float32))
        updated = [self.parameters] + groups
        operands = [self.parameters, [name + ".gradient" for name in self.parameters]] + groups
        results = [name + ".next" for names in updated for name in names]
        self.nodes.append(helper.make_node(op, ["learning_rate", "T"] + sum(operands, []), results,
                                           name="optimizer", domain=TRAINING_DOMAIN, **attributes))
        for names in updated:
            for name, parameter in zip(names, self.parameters):
                self.update(name, name + ".next", TensorProto.FLOAT, shape_of(self.model, parameter))

    def algorithm(self, inputs):
        return helper.make_graph(self.nodes, "algorithm", inputs, self.outputs, initializer=self.initializers)


class InitializationWriter:
    """Builds the initialization graph: no inputs, one node and one output per variable it sets."""

    def __init__(self):
        self.nodes = []
        self.outputs = []
        self.bindings = {}

    def add(self, op, variable, inputs, element_type, dimensions, **attributes):
        value = variable + ".initial"
        self.nodes.append(helper.make_node(op, inputs, [value], name="initialize_" + variable, **attributes))
        self.outputs.append(forward.value_info(value, element_type, dimensions))
        self.bindings[variable] = value

    def zeros(self, variable, shape):
        size = variable + ".shape"
        self.nodes.append(helper.make_node("Constant", [], [size], name="shape_of_" + variable,
                                           value=numpy_helper.from_array(np.array(shape, np.int64))))
        self.add("ConstantOfShape", variable, [size], TensorProto.FLOAT, shape,
                 value=numpy_helper.from_array(np.zeros(1, np.float32)))

    def counter(self, variable):
        self.add("Constant", variable, [], TensorProto.INT64, [],
                 value=numpy_helper.from_array(np.array(0, np.int64)))

    def random(self, variable, shape, seed):
        """Weights: He-normal. Biases: uniform in +-1/sqrt(64)."""
        if len(shape) > 1:
            scale = float(np.sqrt(2.0 / np.prod(shape[1:])))
            self.add("RandomNormal", variable, [], TensorProto.FLOAT, shape, shape=shape, mean=0.0, scale=scale,
                     seed=float(seed))
        else:
            self.add("RandomUniform", variable, [], TensorProto.FLOAT, shape, shape=shape, low=-0.125, high=0.125,
                     seed=float(seed))

    def graph(self):
        return helper.make_graph(self.nodes, "initialization", [], self.outputs)


def attach(model, writer, inputs, initialization):
    """Adds the training info to the model and returns it."""
    model.training_info.append(helper.make_training_info(writer.algorithm(inputs), list(writer.updates.items()),
                                                         initialization.graph(),
                                                         list(initialization.bindings.items())))
    return model


def make_mlp_training():
    """Loss in the model's own graph; Momentum; weights drawn by the initialization graph."""
    graph = forward.GraphWriter(seed=1)
    forward.add_mlp(graph)
    graph.loss()
    model = forward.make_model(graph, "digits_mlp_training", [forward.input_value(), forward.label_value()],
                               [forward.logits_value(), forward.loss_value()], training_domain=True)
    writer = AlgorithmWriter(model)
    writer.add_gradient()
    writer.add_optimizer("Momentum", ["momentum"], 0.1, alpha=0.9, beta=1.0, mode="standard", norm_coefficient=0.0)
    writer.add_step_counter()
    initialization = InitializationWriter()
    for seed, name in enumerate(writer.parameters, start=1):
        initialization.random(name, shape_of(model, name), seed)
    for name in writer.parameters:
        initialization.zeros(name + ".momentum", shape_of(model, name))
    initialization.counter("T")
    return attach(model, writer, [], initialization)


def make_cnn_training():
    """Loss in the algorithm; Adam; weights from the initializers; running statistics updated by the model's graph."""
    graph = forward.GraphWriter(seed=2)
    forward.add_cnn(graph, training=True)
    statistics = [(f"bn{i}.running_{kind}", channels) for i, channels in ((1, 16), (2, 32)) for kind in ("mean", "var")]
    outputs = [forward.value_info(name + ".next", TensorProto.FLOAT, [channels]) for name, channels in statistics]
    model = forward.make_model(graph, "digits_cnn_training", [forward.input_value()],
                               [forward.logits_value()] + outputs, training_domain=True)
    writer = AlgorithmWriter(model)
    writer.add_loss()
    writer.add_gradient()
    writer.add_optimizer("Adam", ["adam_v", "adam_h"], 0.005, alpha=0.9, beta=0.999, epsilon=1e-6,
                         norm_coefficient=0.0, norm_coefficient_post=0.0)
    writer.add_step_counter()
    writer.updates.update((name, name + ".next") for name, _ in statistics)
    initialization = InitializationWriter()
    for kind in ("adam_v", "adam_h"):
        for name in writer.parameters:
            initialization.zeros(f"{name}.{kind}", shape_of(model, name))
    initialization.counter("T")
    return attach(model, writer, [forward.label_value()], initialization)
