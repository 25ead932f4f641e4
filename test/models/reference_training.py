#!/usr/bin/python3
"""Trains a test model with numpy, as the ONNX standard says: the oracle for what Tutti computes.

    reference_training.py MODEL.onnx [--steps 100] [--batch 64] [--load F] [--save F] [--metrics F.jsonl]

A model with training_info runs its own algorithm. A forward graph gets mean softmax cross entropy over `label` and SGD with
momentum (v = momentum * v + g; w = w - learning_rate * v), BatchNormalization in training mode.

Samples are taken in file order without shuffling: step s of an epoch takes samples [s * batch, (s + 1) * batch); what is
left at the end of the epoch is dropped. The loss of a step is that before its update. Everything is computed in f64 unless
--type f32. Initial values are the initializers, then the constants of the initialization graph, then --load; random draws
of the initialization graph are refused unless --load gives that variable, since ONNX does not define the generator.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import json
import os
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

from reference_operators import OPERATORS

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "checkpoints"))
from checkpoint_file import read_checkpoint, write_checkpoint  # noqa: E402


def attributes_of(node):
    values = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return {key: numpy_helper.to_array(v) if isinstance(v, onnx.TensorProto) else v for key, v in values.items()}


def norm_of(gradients):
    """The norm of all of them together."""
    return np.sqrt(sum(np.sum(np.square(g)) for g in gradients))


def clipped(gradients, limit):
    """The gradients, scaled so that the norm of all of them together is `limit` at most, as clip_grad_norm_ of PyTorch does."""
    norm = norm_of(gradients)
    return [g * np.minimum(1.0, limit / (norm + 1e-6)) for g in gradients]


def run_nodes(nodes, values, clip_norm=None, norms=None):
    """Runs the nodes in file order; `values` maps names to arrays and receives every result. `norms` receives the norm of all
    gradients before they are clipped."""
    done = []
    for node in nodes:
        if node.op_type == "Gradient":
            results = gradients(done, values, node)
            if norms is not None:
                norms.append(float(norm_of(results)))
            if clip_norm is not None:
                results = clipped(results, clip_norm)
        else:
            results = OPERATORS[node.op_type].forward(attributes_of(node), *[values[name] for name in node.input])
        values.update(zip(node.output, results))
        done.append(node)


def gradients(nodes, values, gradient):
    """Reverse mode over the nodes that already ran: d y / d x for the names xs of a Gradient node."""
    attributes = attributes_of(gradient)
    y = attributes["y"].decode()
    adjoint = {y: np.ones_like(values[y])}
    for node in reversed(nodes):
        if not node.output or node.output[0] not in adjoint:
            continue
        inputs = [values[name] for name in node.input]
        outputs = [values[name] for name in node.output]
        parts = OPERATORS[node.op_type].backward(attributes_of(node), inputs, outputs, adjoint[node.output[0]])
        for name, part in zip(node.input, parts):
            if part is not None:
                adjoint[name] = adjoint[name] + part if name in adjoint else part
    return [adjoint[x.decode()] for x in attributes["xs"]]


class Program:
    """One step as nodes, the variables it updates, and where each new value comes from."""

    def __init__(self, model, dtype, clip_norm=None):
        self.dtype = dtype
        self.clip_norm = clip_norm
        self.norms = []  # of the gradients of each step
        self.constants = self._initial(model.graph.initializer)
        self.nodes = list(model.graph.node)
        self.updates = {}
        self.random = set()
        for info in model.training_info:
            self._add(info)

    def _initial(self, tensors):
        return {t.name: self._typed(numpy_helper.to_array(t)) for t in tensors}

    def _typed(self, array):
        return array.astype(self.dtype) if array.dtype.kind == "f" else array

    def _add(self, info):
        self.constants.update(self._initial(info.algorithm.initializer))
        self.nodes += list(info.algorithm.node)
        self.updates.update((entry.key, entry.value) for entry in info.update_binding)
        nodes = [n for n in info.initialization.node if not n.op_type.startswith("Random")]
        drawn = {}
        run_nodes(nodes, drawn)
        for entry in info.initialization_binding:
            if entry.value in drawn:
                self.constants[entry.key] = self._typed(drawn[entry.value])
            else:
                self.random.add(entry.key)

    def load(self, arrays):
        for name, array in arrays.items():
            if name not in self.constants:
                raise ValueError(f"the checkpoint's variable {name} is none of the model's")
            self.constants[name] = self._typed(array)
            self.random.discard(name)

    def step(self, batch):
        """Runs one step, updates the variables, returns the loss."""
        values = {**self.constants, **batch}
        run_nodes(self.nodes, values, self.clip_norm, self.norms)
        for variable, result in self.updates.items():
            self.constants[variable] = self._typed(np.asarray(values[result]))
        return float(values["loss"])

    def variables(self):
        return {name: self.constants[name] for name in self.updates}


def apply_recipe(model, learning_rate, momentum):
    """The training model of a forward graph: loss, Gradient, Momentum with beta 1, BatchNormalization in training mode."""
    import training_graphs

    domain_import = helper.make_opsetid(training_graphs.TRAINING_DOMAIN, 1)
    model.opset_import.append(domain_import)
    writer = training_graphs.AlgorithmWriter(model)
    for node in model.graph.node:
        if node.op_type == "BatchNormalization":
            node.attribute.append(helper.make_attribute("training_mode", 1))
            node.output.extend(name + ".next" for name in node.input[3:])
            writer.updates.update((name, name + ".next") for name in node.input[3:])
    writer.add_loss()
    writer.add_gradient()
    writer.add_optimizer("Momentum", ["momentum"], learning_rate, alpha=momentum, beta=1.0, mode="standard",
                         norm_coefficient=0.0)
    writer.add_step_counter()
    initialization = training_graphs.InitializationWriter()
    return training_graphs.attach(model, writer, [], initialization)


def batches(path, batch, steps, dtype):
    """`steps` batches of the data file in file order, wrapping at the end of each epoch."""
    with np.load(path) as data:
        arrays = {name: array.astype(dtype) if array.dtype.kind == "f" else array for name, array in data.items()}
    per_epoch = len(arrays["label"]) // batch
    for step in range(steps):
        begin = step % per_epoch * batch
        yield {name: array[begin:begin + batch] for name, array in arrays.items()}


def train(model, steps, batch, dtype, data=None, load=None, clip_norm=None, norms=None):
    """(losses, variables after the last step). `norms` receives those of the gradients of each step."""
    program = Program(model, dtype, clip_norm)
    if load:
        program.load(load)
    if program.random:
        raise ValueError("--load must give the variables that the model draws at random: "
                         + ", ".join(sorted(program.random)))
    data = data or os.path.join(HERE, "..", "data", "digits_train.npz")
    losses = [program.step(feed) for feed in batches(data, batch, steps, dtype)]
    if norms is not None:
        norms.extend(program.norms)
    return losses, program.variables()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=64, help="the global batch")
    parser.add_argument("--learning-rate", type=float, default=0.1, help="of a forward graph")
    parser.add_argument("--momentum", type=float, default=0.9, help="of a forward graph")
    parser.add_argument("--clip-norm", type=float, help="the largest norm of all gradients together")
    parser.add_argument("--type", choices=["f32", "f64"], default="f64")
    parser.add_argument("--dataset", help="an .npz with the inputs and label; default: the digits")
    parser.add_argument("--load", help="safetensors with initial values")
    parser.add_argument("--save", help="safetensors for the variables, in f32")
    parser.add_argument("--metrics", help="one JSON object a line: step, loss, gradient_norm")
    arguments = parser.parse_args()
    model = onnx.load(arguments.model)
    if not model.training_info:
        model = apply_recipe(model, arguments.learning_rate, arguments.momentum)
    load = read_checkpoint(arguments.load) if arguments.load else None
    dtype = {"f32": np.float32, "f64": np.float64}[arguments.type]
    norms = []
    losses, variables = train(model, arguments.steps, arguments.batch, dtype, arguments.dataset, load,
                              arguments.clip_norm, norms)
    if arguments.save:
        write_checkpoint(arguments.save, {name: value.astype(np.float32) if value.dtype.kind == "f" else value
                                          for name, value in variables.items()})
    if arguments.metrics:
        with open(arguments.metrics, "w", encoding="utf-8") as file:
            file.writelines(json.dumps({"step": i, "loss": loss, "gradient_norm": norm}) + "\n"
                            for i, (loss, norm) in enumerate(zip(losses, norms)))
    if losses:
        print(f"{len(losses)} steps, loss {losses[0]:.6f} -> {losses[-1]:.6f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
