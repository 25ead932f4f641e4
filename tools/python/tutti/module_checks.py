"""What keeps a module from being exported so that it trains as in PyTorch, and what of it is trained."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib

import torch
from torch import nn

from .errors import ExportError
from .gradients import reached

WRAPPERS = {"DataParallel": "module", "DistributedDataParallel": "module", "FullyShardedDataParallel": "module",
            "OptimizedModule": "_orig_mod"}


def wrapped(model):
    """(class, attribute) if `model` only wraps another module, else None."""
    for kind in type(model).__mro__:
        if kind.__name__ in WRAPPERS and kind.__module__.startswith("torch."):
            return kind.__name__, WRAPPERS[kind.__name__]
    return None


def unwrapped(model):
    """The module that DataParallel, torch.compile and the like wrap."""
    while wrapped(model):
        model = getattr(model, wrapped(model)[1])
    return model


def check_kind(model):
    """Refuses what is no plain module; the text says what to pass instead."""
    if not isinstance(model, nn.Module):
        raise ExportError(f"model is a {type(model).__name__}; expected is a torch.nn.Module")
    if isinstance(model, torch.jit.ScriptModule):
        raise ExportError("model is compiled TorchScript, whose parts the exporter does not see; pass the module that was given to "
                          "torch.jit")
    for name, part in model.named_modules():
        if wrapped(part):
            kind, attribute = wrapped(part)
            place = f"model.{name}" if name else "model"
            raise ExportError(f"{place} is a {kind}: pass the module in it, {place}.{attribute}; dist-run divides the batch and compiles "
                              "by itself")
    lazy = [name for name, value in model.named_parameters() if isinstance(value, nn.parameter.UninitializedParameter)]
    if lazy:
        raise ExportError(f"parameter '{lazy[0]}' has no shape yet; call the module once before it is exported")


def check_values(model):
    """Refuses parameters and buffers without values, on several devices, of types or in places that no graph has; returns the device."""
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    devices = {}
    for name, value in tensors.items():
        devices.setdefault(value.device, name)
        if value.is_complex() or value.is_quantized or value.layout != torch.strided:
            raise ExportError(f"'{name}' is {value.dtype}, {value.layout}; expected are dense tensors of numbers; convert it before the "
                              "export")
        if "," in name or "\n" in name or name != name.strip():
            raise ExportError(f"'{name}': a name with commas or blanks at its ends cannot be written into the model; rename it")
    if any(device.type == "meta" for device in devices):
        raise ExportError(f"'{devices[torch.device('meta')]}' is on the device meta, so it has no values; call model.to_empty and set them "
                          "first")
    if len(devices) > 1:
        places = ", ".join(f"'{name}' on {device}" for device, name in devices.items())
        raise ExportError(f"the module is on several devices: {places}; call model.to('cpu') first")
    check_memory(model)
    return next(iter(devices), torch.device("cpu"))


def check_memory(model):
    """Refuses a parameter that shares memory with another tensor without being it: each is moved on its own, a graph has them apart."""
    kinds = {name: kind for kind, walk in (("buffer", model.named_buffers()), ("parameter", model.named_parameters())) for name, _ in walk}
    places = []
    for name, value in [*model.named_parameters(), *model.named_buffers()]:
        if value.numel():
            length = 1 + sum((size - 1) * step for size, step in zip(value.shape, value.stride()))
            places.append((value.data_ptr(), value.data_ptr() + length * value.element_size(), name))
    places.sort(key=lambda place: place[0])
    for (_, end, first), (begin, _, second) in zip(places, places[1:]):
        if begin < end and "parameter" in (kinds[first], kinds[second]):
            raise ExportError(f"{kinds[first]} '{first}' and {kinds[second]} '{second}' share memory, but are two: what moves one moves "
                              "the other, which no graph says; tie them by assigning one parameter to both places, or copy one: it.data = "
                              "it.data.clone()")


def check_layers(model):
    """Refuses what a layer does beside its formula."""
    for name, part in model.named_modules():
        hooks = [kind for kind in ("_backward_hooks", "_backward_pre_hooks") if getattr(part, kind, None)]
        if hooks:
            raise ExportError(f"module '{name}' has backward hooks, which no graph has; remove them, and say what they do by keys of the "
                              "recipe")
        if isinstance(part, (nn.Embedding, nn.EmbeddingBag)):
            if part.max_norm is not None:
                raise ExportError(f"'{name}' has max_norm={part.max_norm}, which changes its weight while it is looked up; leave it away")
            if part.scale_grad_by_freq:
                raise ExportError(f"'{name}' has scale_grad_by_freq=True, which changes gradients alone; leave it away")
        if isinstance(part, nn.modules.batchnorm._BatchNorm) and not part.track_running_stats:
            raise ExportError(f"'{name}' has track_running_stats=False, which PyTorch's exporter cannot write for a batch that varies; "
                              "with track_running_stats=True it trains alike")
        if isinstance(part, nn.modules.batchnorm._BatchNorm) and part.momentum is None:
            raise ExportError(f"'{name}' has momentum=None, an average over all batches, which ONNX lacks; give it a number, e.g. 0.1")
    for name, value in model.named_parameters():
        if getattr(value, "_backward_hooks", None):
            raise ExportError(f"parameter '{name}' has a hook on its gradient, which no graph has; remove it, and say what it does by keys "
                              "of the recipe, e.g. clip-norm")


def named_values(model):
    """(name, parameter or buffer) of all places of the module, one that stands in several places under each of its names."""
    parts = list(model.named_modules(remove_duplicate=False))
    for kind in ("_parameters", "_buffers"):
        for name, part in parts:
            for key, value in getattr(part, kind).items():
                if value is not None:
                    yield f"{name}.{key}" if name else key, value


def ties(model):
    """{name: [other names of the same parameter or buffer]}, the first name of each in the order of the module."""
    first, found = {}, {}
    for name, value in named_values(model):
        if id(value) in first:
            found.setdefault(first[id(value)], []).append(name)
        else:
            first[id(value)] = name
    return found


def padded(model):
    """([tables whose row at padding_idx has no gradient], [tables of which one row is zero and trained as all others]), as names."""
    rows, plain = [], []
    first = {id(value): name for name, value in reversed(list(model.named_parameters()))}
    for name, part in model.named_modules():
        if not isinstance(part, nn.Embedding) or not part.weight.requires_grad or id(part.weight) not in first:
            continue
        weight = part.weight.detach()
        zeros = (weight == 0).all(1).nonzero().flatten().tolist()
        if part.padding_idx is None:
            plain += [first[id(part.weight)]] if len(zeros) == 1 else []
        elif zeros == [part.padding_idx]:
            rows.append(first[id(part.weight)])
        else:
            raise ExportError(f"'{name}' has padding_idx={part.padding_idx}, and its rows of zeros are {zeros or 'none'}: a model says "
                              "which row has no gradient by its zeros; set that row to zeros, and no other: "
                              f"model.{name}.weight.data[{part.padding_idx}] = 0")
    return list(dict.fromkeys(rows)), list(dict.fromkeys(plain))


@contextlib.contextmanager
def ranks_of_frozen(model, ranks):
    """Notes in `ranks` what rank each batch normalization in evaluation mode gets, by the name of its running mean."""
    def note(name):
        def hook(_, given):
            ranks.setdefault(f"{name}.running_mean" if name else "running_mean", given[0].dim())
        return hook
    hooks = [part.register_forward_pre_hook(note(name)) for name, part in model.named_modules()
             if isinstance(part, nn.modules.batchnorm._BatchNorm) and not part.training]
    try:
        yield
    finally:
        for one in hooks:
            one.remove()


def trained(model, losses):
    """{id: parameter} that a gradient of `losses` reaches; refuses gradients by functions that say themselves what they are."""
    found, custom = reached(losses)
    if any(name.startswith("Checkpoint") for name in custom):
        raise ExportError("the module computes parts of its forward again (torch.utils.checkpoint), which no graph says; switch that off "
                          "for the export")
    if custom:
        raise ExportError(f"the module uses torch.autograd.Function: {', '.join(sorted(set(custom)))}, which has a gradient of its own "
                          "that no graph has; write its forward with PyTorch's functions")
    return found


def changed_buffers(model, before):
    """Names of buffers that one call of the module has changed, but for the statistics of batch normalization."""
    known = {f"{name}.{buffer}" if name else buffer for name, part in model.named_modules()
             if isinstance(part, nn.modules.batchnorm._BatchNorm) for buffer in ("running_mean", "running_var", "num_batches_tracked")}
    return [name for name, value in model.named_buffers()
            if name not in known and name in before and not torch.equal(value, before[name])]
