"""What a call of a module does that no ONNX graph says: where autograd stops, which parameters it reaches, and what Python makes of values.

ONNX has no `detach` and no `no_grad`: the exporter leaves them out, and a gradient would pass where PyTorch has none. A number that
Python reads from a tensor becomes a constant. So the module runs once under a watcher, which follows every call of PyTorch."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import traceback

import torch
from torch.overrides import TorchFunctionMode

from .errors import ExportError
from .structure import Structure

STOPS = {torch.Tensor.detach: "detach()", torch.Tensor.detach_: "detach_()", torch.Tensor.data.__get__: ".data"}
READS = {"__bool__", "__int__", "__float__", "__index__", "__complex__", "__array__", "item", "tolist", "numpy", "equal", "allclose", "is_nonzero"}
OWN_FOLDER = __file__.rsplit("/", 1)[0]
TORCH_FOLDER = torch.__file__.rsplit("/", 1)[0]


def is_differentiable(value):
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def all_tensors(value):
    return Structure(value, lambda part: isinstance(part, torch.Tensor)).tensors


def _caller():
    """The line of the module that called PyTorch."""
    for frame in reversed(traceback.extract_stack()):
        if not frame.filename.startswith((OWN_FOLDER, TORCH_FOLDER)):
            return f"{frame.filename}:{frame.lineno}"
    return "the module"


class Stop:
    """A place where autograd stops: what stops it, where, and which parameters lie before it."""

    def __init__(self, what, where, parameters):
        self.what, self.where, self.parameters = what, where, parameters


def reached(tensors):
    """({id of a tensor that collects a gradient: it}, [names of autograd functions that are written in Python])."""
    found, custom, seen = {}, [], set()
    waiting = [tensor.grad_fn for tensor in tensors if tensor.grad_fn is not None]
    found.update((id(tensor), tensor) for tensor in tensors if tensor.grad_fn is None and tensor.requires_grad)
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found[id(node.variable)] = node.variable
        elif isinstance(node, torch.autograd.function.BackwardCFunction):
            custom.append(type(node).__name__.removesuffix("Backward"))
        waiting.extend(next_node for next_node, _ in node.next_functions if next_node is not None)
    return found, custom


class Watch(TorchFunctionMode):
    """Follows what comes of tensors at which autograd stopped, and of those that vary: inputs and what is trained.

    `stops_of(tensors)` are the stops before them; `reads` says what Python made of values that vary, "PLACE: item()"."""

    def __init__(self, varying):
        super().__init__()
        self.reads, self._stops, self._varying = [], {}, {id(tensor) for tensor in varying}
        self._kept = list(varying)  # so that no other tensor gets the id of one

    def __torch_function__(self, function, types, args=(), kwargs=None):
        before = all_tensors((args, kwargs or {}))
        is_on, name = torch.is_grad_enabled(), getattr(function, "__name__", "")
        varies = any(id(tensor) in self._varying for tensor in before)
        if varies and name in READS:
            self.reads.append(f"{_caller()}: {name.strip('_')}()")
        result = function(*args, **(kwargs or {}))
        stops = {stop for tensor in before for stop in self._stops.get(id(tensor), ())}
        what = STOPS.get(function) or ("no_grad()" if not is_on else None)
        if what:
            parameters = reached([tensor for tensor in before if tensor.requires_grad])[0]
            if parameters:
                stops.add(Stop(what, _caller(), parameters))
        for tensor in all_tensors(result) if stops or varies else []:
            self._kept.append(tensor)
            if varies:
                self._varying.add(id(tensor))
            if stops and is_differentiable(tensor):
                self._stops.setdefault(id(tensor), set()).update(stops)
        return result

    def stops_of(self, tensors):
        return {stop for tensor in tensors for stop in self._stops.get(id(tensor), ())}


def check_stops(watch, outputs, trained, names):
    """Refuses a module at whose stops a parameter lies that a gradient reaches on another way: the graph would have both ways.

    outputs: what the loss is made of. trained: {id: parameter} that gradients reach. names: {id: name}."""
    for stop in watch.stops_of(outputs):
        both = [names[key] for key in stop.parameters if key in trained and key in names]
        if both:
            some = ", ".join(both[:3]) + (f" and {len(both) - 3} more" if len(both) > 3 else "")
            raise ExportError(
                f"{stop.where}: autograd stops here, by {stop.what}, and an ONNX graph cannot say that: gradients of {some} would pass "
                "here, which in PyTorch they reach only on other ways; set requires_grad_(False) on what shall not be trained, or leave "
                f"{stop.what} away")
