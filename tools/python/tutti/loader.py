"""`tutti.load_into`: trained values come back into a PyTorch module, by name."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pathlib
import re

import numpy as np
import torch

from . import module_checks, onnx_model, safetensors
from .errors import FileError, LoadError

COUNTERS = ("step", "loss_scale", "good_steps")  # of a run, as states of its optimizer are (docs/memory.md)


class Loaded:
    """What `load_into` did: names that were `loaded`, those of the module that are `missing` in the file, and of the file that are
    `extra`, without the `states` of optimizers."""

    def __init__(self, path, loaded, missing, extra, states):
        self.path, self.loaded, self.missing, self.extra, self.states = path, loaded, missing, extra, states

    def __str__(self):
        lines = [f"loaded {len(self.loaded)} values of {self.path}"]
        lines += [f"  missing in the file: {', '.join(self.missing)}"] if self.missing else []
        lines += [f"  not in the module: {', '.join(self.extra)}"] if self.extra else []
        return "\n".join(lines)

    __repr__ = __str__


def newest_checkpoint(folder):
    """The newest checkpoint of a run directory that is one file; FileError if there is none, or it is in parts."""
    found = {}
    for file in pathlib.Path(folder).glob("checkpoints/step-*.safetensors"):
        match = re.fullmatch(r"step-(\d+)(\..+)?\.safetensors", file.name)
        if match:
            found.setdefault(int(match[1]), []).append((match[2], file))
    if not found:
        raise FileError(f"{os.fspath(folder)}: no run directory with checkpoints, which are in checkpoints/step-N.safetensors")
    step = max(found)
    parts = [file for part, file in found[step] if part]
    if parts:
        raise FileError(f"{parts[0]}: the checkpoint of step {step} is in several files; bring it into one: dist-run MODEL --model-dir, "
                        "with --save")
    return str(found[step][0][1])


def read_values(source):
    """({name: array}, {key: text} of the metadata, path) of a safetensors file, an ONNX model, a run directory, or a result of `train`."""
    saved = getattr(source, "save", None) or getattr(source, "export", None)
    model = getattr(source, "model", None)
    path = os.fspath(saved if saved and model else source)
    if os.path.isdir(path):
        path = newest_checkpoint(path)
    with open(path, "rb") as file:
        begin = file.read(9)
    if begin[8:9] == b"{":
        values, facts = safetensors.read(path)[0], {}
    else:
        graph = onnx_model.read(path)
        values, facts = onnx_model.arrays(graph), onnx_model.metadata(graph)
    if not facts and model and os.path.exists(model):
        facts = onnx_model.metadata(onnx_model.read(model, values=False))
    return values, facts, path


def _is_state(name, used, model):
    """Whether a name of the file is of the run and not of the module: VARIABLE.exp_avg, a counter, or a value of the loss."""
    owner = name.rpartition(".")[0]
    return name in COUNTERS or owner in used or name.startswith("loss.") and not hasattr(model, "loss")


def _fitting(name, array, tensor, path):
    """The array as a tensor of the module's shape and type; LoadError where a value would change."""
    if tuple(array.shape) != tuple(tensor.shape):
        raise LoadError(f"{path}: '{name}' has shape {list(array.shape)}, but {list(tensor.shape)} in the module; nothing was loaded")
    value = torch.from_numpy(np.array(array, order="C"))
    fitting = value.to(tensor.dtype)
    if not torch.equal(torch.nan_to_num(fitting.to(value.dtype)), torch.nan_to_num(value)):
        raise LoadError(f"{path}: '{name}' is {value.dtype}, and {tensor.dtype} in the module does not hold its values; nothing was "
                        "loaded. Call model.float() before, and convert it afterwards")
    return fitting


def load_into(model, source, *, strict=True, quiet=False):
    """Puts trained values into a PyTorch module, parameters and buffers, by the names of its state.

    model   the module; of DataParallel and of what torch.compile returned it is the module in it. Values are copied into the tensors it
            has, so that ties, and optimizers that hold its parameters, stay.
    source  what has the values: a safetensors file (--save, a checkpoint), an ONNX model (--export), a run directory (its newest
            checkpoint), or what `train` returned.
    strict  refuse a file that lacks something of the module, or has something else. No difference are what is constant in the graph, as all
            integers and truths are, what no output of the exported model depends on, if `source` is what `train` returned or a
            model, and states of optimizers. strict=False loads what is there and says the rest.
    quiet   print nothing.

    Returns Loaded. LoadError names what is missing, extra, or of another shape; then nothing of the module has changed. FileError says
    what is wrong with the file."""
    if not isinstance(model, torch.nn.Module):
        raise LoadError(f"model is a {type(model).__name__}; expected is a torch.nn.Module")
    model = module_checks.unwrapped(model)
    values, facts, path = read_values(source)
    targets, ties = dict(module_checks.named_values(model)), module_checks.ties(model)
    said = dict(pair.split("=", 1) for pair in onnx_model.names_of(facts.get(onnx_model.TIES, "")))
    same = {name: [name, *others] for name, others in ties.items()}
    same.update({other: group for group in list(same.values()) for other in group})
    found = {}
    for name in targets:
        for source_name in same.get(name, [name]) + ([said[name]] if name in said else []):
            if source_name in values:
                found[name] = source_name
                break
    used = set(found.values())
    allowed = {name for key in (onnx_model.ABSENT, onnx_model.BUFFERS) for name in onnx_model.names_of(facts.get(key, ""))}
    missing = [name for name, value in targets.items() if name not in found and name not in allowed and value.is_floating_point()]
    rest = [name for name in values if name not in used]
    states = [name for name in rest if _is_state(name, used, model)]
    extra = [name for name in rest if name not in states]
    _check_ties(ties, values, path)
    if not used:
        raise LoadError(f"{path}: none of its names is one of the module: it has {', '.join(list(values)[:5])}, the module "
                        f"{', '.join(list(targets)[:5])}")
    if strict and (missing or extra):
        parts = [f"the file lacks {', '.join(missing)}"] if missing else []
        parts += [f"the module lacks {', '.join(extra)}"] if extra else []
        raise LoadError(f"{path}: {'; '.join(parts)}; nothing was loaded. strict=False loads the other {len(found)} values")
    fitting = {name: _fitting(source_name, values[source_name], targets[name], path) for name, source_name in found.items()}
    with torch.no_grad():
        for name, value in fitting.items():
            targets[name].copy_(value)
    loaded = Loaded(path, list(found), missing, extra, states)
    if not quiet:
        print(loaded)
    return loaded


def _check_ties(ties, values, path):
    """Refuses a file in which what the module holds once has two values."""
    for name, others in ties.items():
        held = [one for one in (name, *others) if one in values]
        for other in held[1:]:
            if values[other].tobytes() != values[held[0]].tobytes():
                raise LoadError(f"{path}: '{held[0]}' and '{other}' are one tensor of the module, and two values of the file; nothing was "
                                "loaded. Was the model exported from a module in which they are not tied?")
