"""Runs a module, and PyTorch's exporter on it, and leaves the module as it was."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import inspect
import os
import warnings

import torch
from torch import nn

from .errors import ExportError
from .structure import Structure, name_of_output

MODEL = "model"
TORCH_FOLDER = os.path.dirname(torch.__file__)
OLDEST, NEWEST = 7, 24  # operator sets that are read (docs/frontend.md)


def is_tensor(value):
    return isinstance(value, torch.Tensor)


class Flat(nn.Module):
    """Takes tensors one by one, samples along their first dimension, and gives outputs one by one: those of the numbers `chosen`.

    given, labels: Structures of what the model and the loss are called with; inputs are the tensors of both, in this order. axes: where
    the model has the samples of each. loss: None, or a module or function of the model's output and the labels."""

    def __init__(self, model, given, labels, loss):
        super().__init__()
        self.model, self._given, self._labels, self.chosen = model, given, labels, []
        self.axes = [0] * (len(given.tensors) + len(labels.tensors))
        if isinstance(loss, nn.Module):
            self.loss = loss
        else:
            object.__setattr__(self, "loss", loss)

    def call(self, tensors):
        """(Structure of the model's output, loss or None)."""
        count = len(self._given.tensors)
        tensors = [tensor.movedim(0, axis) if axis else tensor for tensor, axis in zip(tensors, self.axes)]
        arguments, keywords = self._given.fill(tensors[:count])
        output = self.model(*arguments, **keywords)
        found = Structure(output, is_tensor, name_of_output(output))
        if self.loss is None:
            return found, None
        arguments, keywords = self._labels.fill(tensors[count:])
        return found, self.loss(output, *arguments, **keywords)

    def forward(self, *tensors):
        output, loss = self.call(tensors)
        results = [output.tensors[index] for index in self.chosen]
        return tuple(results if loss is None else [loss, *results])


@contextlib.contextmanager
def kept(module):
    """The module's buffers, gradients' absence, modes and PyTorch's random numbers are afterwards as they were."""
    modes = {part: part.training for part in module.modules()}
    buffers = {name: value.clone() for name, value in module.named_buffers()}
    devices = {value.device.index for value in module.parameters() if value.device.type == "cuda"}
    try:
        with torch.random.fork_rng(devices=sorted(devices)):
            yield buffers
    finally:
        with torch.no_grad():
            for name, value in module.named_buffers():
                if name in buffers and value.shape == buffers[name].shape:
                    value.copy_(buffers[name])
        for part, mode in modes.items():
            part.training = mode


def _arguments(opset, values):
    """What torch.onnx.export takes here: later versions have a second exporter, and have dropped arguments."""
    known = inspect.signature(torch.onnx.export).parameters
    wanted = {"export_params": values, "opset_version": opset, "do_constant_folding": False, "keep_initializers_as_inputs": False,
              "training": torch.onnx.TrainingMode.PRESERVE, "export_modules_as_functions": False, "dynamo": False}
    needed = [name for name in ("dynamic_axes", "training", "do_constant_folding") if name not in known]
    if needed:
        raise ExportError(f"torch.onnx.export of PyTorch {torch.__version__} takes no {' and no '.join(needed)}, so it is not the exporter "
                          "that traces; this package was tried with PyTorch 1.13")
    return {name: value for name, value in wanted.items() if name in known}


def _reasons(caught):
    """Where values of this example became constants of the graph; those of PyTorch's own layers are checks of shapes."""
    own = [warning for warning in caught if issubclass(warning.category, torch.jit.TracerWarning) and
           not warning.filename.startswith(TORCH_FOLDER)]
    return list(dict.fromkeys(f"{warning.filename}:{warning.lineno}: {str(warning.message).split('. ')[0]}: what it was for the example is "
                              "a constant of the graph" for warning in own))


def trace(flat, tensors, path, names, dynamic, opset, values=True):
    """Writes the graph of `flat` on these tensors to `path`, without `values` only its nodes; returns what the tracer warned of.

    names: (inputs, outputs). dynamic: {name: {dimension: name}}. ExportError has the text of the exporter."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            torch.onnx.export(flat, tuple(tensors), path, input_names=names[0], output_names=names[1], dynamic_axes=dynamic,
                              **_arguments(opset, values))
        except ExportError:
            raise
        except Exception as error:  # of many kinds, over the versions
            raise ExportError(f"PyTorch's exporter: {type(error).__name__}: {error}") from error
    return _reasons(caught)
