"""`tutti.export`: a PyTorch module becomes an ONNX model that trains as the module does."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import inspect
import os
import shlex
import subprocess
import tempfile

import torch
from torch import nn

from . import module_checks, onnx_model, recipes, tools, tracing
from .errors import ExportError, ToolError
from .gradients import Watch, check_stops, is_differentiable
from .structure import Structure

BATCH = "batch"
OUTPUT_LOSS = "output"


class Exported:
    """A model that was written: `path`; `inputs` and `outputs`, names; `recipe`, {key: text} that belong to each `--train` of it;
    `parameters` and `buffers`, names of what is trained and what is kept; `ties`, {name: [other names of the same]}; `absent`, names of
    the module's state that no output depends on; `notes`, what should be looked at. It stands for its path where a path is taken."""

    def __init__(self, path, **facts):
        self.path, self.notes = os.fspath(path), []
        self.__dict__.update(facts)

    def __fspath__(self):
        return self.path

    def command(self, dataset="DATA.npz", ranks=2, train="optimizer=adam learning-rate=1e-3 global-batch=64"):
        """The command line that trains it on `ranks` ranks, with these keys of --train beside those of `recipe`."""
        keys = recipes.words({**self.recipe, **recipes.keys_of(train)})
        return f"dist-run -n {ranks} {shlex.quote(self.path)} --dataset {dataset} --train=\"{keys}\" --export trained.onnx"

    def __str__(self):
        lines = [f"exported {self.path}: inputs {', '.join(self.inputs)}; outputs {', '.join(self.outputs)}",
                 f"  trained  {_some(self.parameters)}"]
        for title, names in (("kept", self.buffers), ("absent", self.absent)):
            if names:
                lines.append(f"  {title:8} {_some(names)}")
        lines += [f"  tied     {', '.join([name, *others])}" for name, others in self.ties.items()]
        lines += [f"  note     {note}" for note in self.notes]
        return "\n".join([*lines, f"  train it {self.command()}"])


def _some(names, most=4):
    text = ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
    return f"{len(names)}: {text}" if names else "nothing"


def _call_form(function, example):
    """((arguments), {keywords}) of an example, and the names of the arguments."""
    try:
        known = inspect.signature(function).parameters
    except (TypeError, ValueError):
        known = {}
    plain = [name for name, one in known.items() if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    takes_all = any(one.kind is one.VAR_KEYWORD for one in known.values())

    def are_keywords(value):
        return isinstance(value, dict) and value and all(isinstance(key, str) and (key in known or takes_all) for key in value)

    if are_keywords(example):
        return (), dict(example), plain
    arguments = tuple(example) if isinstance(example, (tuple, list)) and not hasattr(example, "_fields") else (example,)
    if len(arguments) > 1 and are_keywords(arguments[-1]):
        return arguments[:-1], dict(arguments[-1]), plain
    return arguments, {}, plain


def _structure(function, example, fallback, skipped=0):
    """The Structure of (arguments, keywords), with names of the function's own parameters."""
    arguments, keywords, plain = _call_form(function, example)
    plain = plain[skipped:]
    found = Structure((arguments, keywords), tracing.is_tensor)
    names = [fallback] if len(arguments) == 1 else [f"{fallback}_{index}" for index in range(len(arguments))]
    if fallback == "input":  # those of labels are called alike whatever the loss calls them
        names = [*plain[:len(arguments)], *names[len(plain):]]
    found.names = Structure({**dict(zip(names, arguments)), **keywords}, tracing.is_tensor).names
    return found


def _as_tensors(value, device):
    """Arrays of numpy become tensors, and all of them lie on the module's device."""
    found = Structure(value, lambda part: tracing.is_tensor(part) or hasattr(part, "__array__") and hasattr(part, "dtype"))
    return found.fill([torch.as_tensor(part).detach().to(device) for part in found.tensors])


class Export:
    """One export, step by step; see `export`."""

    def __init__(self, model, example, labels, loss, batch, inputs, takes_constants):
        module_checks.check_kind(model)
        module_checks.check_layers(model)
        self.model, self.device, self.notes, self.takes_constants = model, module_checks.check_values(model), [], takes_constants
        self.loss = self._loss_of(loss, labels)
        given = _structure(model.forward, _as_tensors(example, self.device), "input")
        function = self.loss.forward if isinstance(self.loss, nn.Module) else self.loss
        targets = Structure((), tracing.is_tensor)
        if self.loss is not None:
            targets = _structure(function, _as_tensors(labels, self.device), "label", skipped=1)
        clash = set(given.names) & set(targets.names)
        if clash:
            raise ExportError(f"'{sorted(clash)[0]}' is an input of the model and of the loss; give the labels as a dictionary, with other "
                              "names")
        self.input_names = [*given.names, *targets.names]
        if inputs is not None:
            if len(inputs) != len(self.input_names):
                raise ExportError(f"inputs has {len(inputs)} names, but there are {len(self.input_names)} inputs: "
                                  f"{', '.join(self.input_names)}")
            self.input_names = list(inputs)
        self.tensors = [*given.tensors, *targets.tensors]
        if not self.tensors:
            raise ExportError("the example has no tensor; give what the module is called with: a tensor, a tuple, or a dictionary of "
                              "keywords")
        self.flat = tracing.Flat(model, given, targets, self.loss)
        self._put_samples_first(batch)

    def _loss_of(self, loss, labels):
        """The function of a loss that comes into the graph; None if a recipe says it, or the module returns it."""
        self.recipe = {}
        if callable(loss):
            if labels is None:
                raise ExportError("loss is a function of outputs and labels: give an example of the labels, labels=...")
            self.recipe["loss"] = OUTPUT_LOSS
            return loss
        if labels is not None:
            raise ExportError("labels are for a loss that comes into the graph, loss=FUNCTION; with a recipe the run adds the input "
                              "'label'")
        said = {"loss": OUTPUT_LOSS} if loss is True else loss if loss is None or "=" in loss else {"loss": loss}
        self.recipe.update(recipes.keys_of(said))
        return None

    def _put_samples_first(self, batch):
        """Finds the dimension of the samples of each input, and moves it to the front, where data have it; examples of one sample become
        two, as sizes of 1 broadcast."""
        axes = [batch.get(name, 0) if isinstance(batch, dict) else batch for name in self.input_names]
        if isinstance(batch, dict) and set(batch) - set(self.input_names):
            raise ExportError(f"batch: there is no input '{sorted(set(batch) - set(self.input_names))[0]}'; there are "
                              f"{', '.join(self.input_names)}")
        sizes = {}
        for name, tensor, axis in zip(self.input_names, self.tensors, axes):
            if not 0 <= axis < tensor.dim():
                raise ExportError(f"input '{name}' of shape {list(tensor.shape)} has no dimension {axis} for the batch: each input is read "
                                  "sample by sample; make what all samples share a buffer of the module (register_buffer)")
            sizes.setdefault(tensor.shape[axis], name)
        if len(sizes) > 1:
            said = ", ".join(f"'{name}' has {size}" for size, name in sizes.items())
            raise ExportError(f"the inputs have different numbers of samples: {said}; make what all samples share a buffer of the module, "
                              f"or say the dimension of the batch: batch={{\"{self.input_names[-1]}\": 1}}")
        (self.size,) = sizes
        if self.size == 0:
            raise ExportError("the example has no samples; two are enough")
        self.flat.axes = axes
        self.tensors = [tensor.movedim(axis, 0).contiguous() for tensor, axis in zip(self.tensors, axes)]
        if self.size == 1:
            self.tensors, self.size = self._of_samples([0, 0]), 2

    def _of_samples(self, samples):
        return [tensor[samples] for tensor in self.tensors]

    def run_eagerly(self):
        """Calls the module: what gradients reach, whether a graph can say it, and how its output looks for two batches."""
        names = {id(value): name for name, value in self.flat.named_parameters()}
        self.ranks = {}
        with tracing.kept(self.flat) as before, module_checks.ranks_of_frozen(self.model, self.ranks):
            with torch.enable_grad(), Watch([*self.tensors, *self.flat.parameters()]) as watch:
                output, loss = self._call(self.tensors)
            changed = module_checks.changed_buffers(self.flat, before)
        if changed:
            raise ExportError(f"the module changes its buffer '{changed[0].split('.', 1)[1]}' when it is called, which no graph says; "
                              "batch normalization may, others not: keep such a layer in evaluation mode, or leave it away")
        if watch.reads and not self.takes_constants:
            raise ExportError(f"{watch.reads[0]} reads a value that depends on inputs or on what is trained; a graph has no Python, so the "
                              "value of the example would stay for ever. Write it with torch.where and the like; if it does not matter to "
                              "what is computed, say constants=True")
        self.notes += [f"{read}: the value of the example is a constant of the graph" for read in dict.fromkeys(watch.reads)]
        self._check_loss(output, loss)
        ends = [loss] if loss is not None else self._ends(output)
        self.reached = module_checks.trained(self.flat, ends)
        trained = {key: value for key, value in self.reached.items() if value.requires_grad}
        check_stops(watch, ends, trained, {key: name.split(".", 1)[1] for key, name in names.items()})
        with tracing.kept(self.flat), torch.no_grad():
            larger = self._call(self._of_samples([*range(self.size), 0]))
        self.output = output
        self.shapes = [[self._size_name(name, place, a, b) for place, (a, b) in enumerate(zip(first.shape, second.shape))]
                       for name, first, second in zip(output.names, output.tensors, larger[0].tensors)]

    def _call(self, tensors):
        try:
            return self.flat.call(tensors)
        except ExportError:
            raise
        except Exception as error:
            shapes = ", ".join(f"{name} {tensor.dtype}{list(tensor.shape)}" for name, tensor in zip(self.input_names, tensors))
            hint = ""
            if "not implemented for 'Half'" in str(error):
                hint = "; export it in float32 (model.float()) and train with compute=f16 or compute=bf16 (docs/precision.md)"
            raise ExportError(f"the module fails on {shapes}: {type(error).__name__}: {error}{hint}") from error

    @staticmethod
    def _size_name(name, place, first, second):
        if first == second:
            return None
        return BATCH if second == first + 1 else f"{name}_{place}"

    def _ends(self, output):
        named = self.recipe.get("loss", "").partition("output:")[2]
        return [tensor for name, tensor in zip(output.names, output.tensors) if is_differentiable(tensor) and named in ("", name)]

    def _check_loss(self, output, loss):
        if loss is not None and (not isinstance(loss, torch.Tensor) or loss.dim() > 0):
            found = list(loss.shape) if isinstance(loss, torch.Tensor) else type(loss).__name__
            raise ExportError(f"the loss is {found}; expected is one number, e.g. by reduction='mean'")
        said = self.recipe.get("loss", "")
        if said == OUTPUT_LOSS and loss is None:
            scalars = [name for name, tensor in zip(output.names, output.tensors) if is_differentiable(tensor) and tensor.dim() == 0]
            if not scalars or len(scalars) > 1 and "loss" not in scalars:
                raise ExportError(f"loss=True: the module returns {', '.join(output.names)}, and not one number among them that is the "
                                  "loss; say which one, loss=\"output:NAME\", or give loss=FUNCTION and labels=")
            self.recipe["loss"] = f"output:{'loss' if 'loss' in scalars else scalars[0]}"
        elif said.startswith("output:") and said[7:] not in output.names:
            raise ExportError(f"loss={said}: the module has no output '{said[7:]}'; it has {', '.join(output.names)}")

    def choose_outputs(self, asked):
        """Which of the module's outputs the graph has, besides a loss that comes into it."""
        names, tensors = self.output.names, self.output.tensors
        if asked is not None:
            unknown = [name for name in asked if name not in names]
            if unknown:
                raise ExportError(f"outputs: the module has no output '{unknown[0]}'; it has {', '.join(names)}")
            chosen = [names.index(name) for name in asked]
        elif self.loss is not None:
            chosen = []
        elif "output" in self.recipe.get("loss", ""):
            chosen = [index for index, tensor in enumerate(tensors) if tensor.dim() == 0 and is_differentiable(tensor)]
        else:
            chosen = [index for index, tensor in enumerate(tensors) if is_differentiable(tensor)]
        self.flat.chosen = chosen
        self.output_names = ([] if self.loss is None else ["loss"]) + [names[index] for index in chosen]
        self.output_shapes = ([] if self.loss is None else [[]]) + [self.shapes[index] for index in chosen]
        if self.loss is not None and len(self.output_names) > 1:
            self.recipe["loss"] = "output:loss"
        clash = set(self.output_names) & set(self.input_names)
        if clash or len(set(self.output_names)) < len(self.output_names):
            raise ExportError(f"two inputs or outputs are called '{sorted(clash)[0] if clash else 'loss'}'; rename the inputs, inputs=[...]")

    def dynamic_axes(self, more):
        axes = {name: {0: BATCH} for name in self.input_names}
        place = dict(zip(self.input_names, self.flat.axes))
        for name, shape in zip(self.output_names, self.output_shapes):
            if any(shape):
                axes[name] = {place: size for place, size in enumerate(shape) if size}
        for name, sizes in (more or {}).items():
            if name not in place:
                raise ExportError(f"dynamic: there is no input '{name}'; there are {', '.join(place)}")
            axes[name].update({axis + 1 if axis < place[name] else axis: size for axis, size in sizes.items() if axis != place[name]})
        return axes

    def check_sizes(self, graph, path, how):
        """Refuses a graph that another example would make otherwise: one sample more, in another order. What differs is a constant that
        Python made of a size or of values."""
        others = self._of_samples([*reversed(range(self.size)), 0])
        other = f"{path}.other"
        tracing.trace(self.flat, others, other, *how, values=False)
        node = onnx_model.first_difference(graph, onnx_model.read(other, values=False))
        if node is None:
            return
        places = list(dict.fromkeys(self.names_in_module(one.name) for one in [node, *onnx_model.users_of(graph, node)] if one.name))
        said = (f"the graph depends on the example: with {self.size} samples it is another than with {self.size + 1}, from node "
                f"{', '.join(places[:3])} on")
        if self.takes_constants:
            self.notes.append(said)
            return
        notes = "".join(f"\n  {note}" for note in self.traced)
        raise ExportError(f"{said}. A number that Python makes of a tensor (len(x), int(), a loop over samples, a condition) is a constant "
                          f"of the graph; take sizes from x.shape, and values by torch.where and the like{notes}")

    def names_in_module(self, name):
        """A name of the graph without the place of the module in what was traced."""
        for prefix, instead in ((f"{tracing.MODEL}.", ""), (f"/{tracing.MODEL}/", "/")):
            if name.startswith(prefix):
                return instead + name[len(prefix):]
        return name

    def finish(self, model):
        """Names, values, ties and metadata of what PyTorch's exporter wrote; returns the facts of Exported."""
        onnx_model.rename(model, self.names_in_module)
        state = {self.names_in_module(name): value for name, value in module_checks.named_values(self.flat)}
        ties = {self.names_in_module(name): [self.names_in_module(other) for other in others]
                for name, others in module_checks.ties(self.flat).items()}
        onnx_model.separate(model, set(state))
        for name, others in ties.items():
            onnx_model.tie(model, name, set(others))
        first = {other: name for name, others in ties.items() for other in others}
        values = {name: value.detach().cpu() for name, value in state.items()}
        onnx_model.set_values(model, {name: value.numpy() for name, value in values.items() if value.dtype != torch.bfloat16})
        unknown = onnx_model.freeze_normalizations(model, self.ranks)
        if unknown:
            raise ExportError(f"a batch normalization by given statistics, '{unknown[0]}', is no layer of the module; make it a BatchNorm "
                              "layer in evaluation mode")
        held = [tensor.name for tensor in model.graph.initializer]
        unknown = [tensor.name for tensor in model.graph.initializer if tensor.name not in state and tensor.data_type in (1, 10, 11, 16)]
        if unknown:
            raise ExportError(f"the exporter wrote values '{unknown[0]}' that are no parameter or buffer of the module under this name; "
                              f"nothing says whether they are trained. Please report it with the versions of torch ({torch.__version__}) "
                              "and onnx")
        parameters = {id(value) for value in self.reached.values() if value.requires_grad}
        facts = {"parameters": [name for name in held if name in state and id(state[name]) in parameters],
                 "ties": {name: others for name, others in ties.items() if name in held},
                 "absent": [name for name in state if name not in held and first.get(name) not in held]}
        facts["buffers"] = [name for name in held if name in state and name not in facts["parameters"]]
        onnx_model.set_metadata(model, {
            onnx_model.PARAMETERS: ",".join(facts["parameters"]), onnx_model.BUFFERS: ",".join(facts["buffers"]),
            onnx_model.TIES: ",".join(f"{other}={name}" for name, others in facts["ties"].items() for other in others),
            onnx_model.ABSENT: ",".join(facts["absent"]), onnx_model.RECIPE: recipes.words(self.recipe)})
        if not facts["parameters"]:
            raise ExportError("nothing of the module is trained: no parameter that requires a gradient has one; call requires_grad_(True)")
        return facts


def _check(exported, traced):
    """Asks dist-opt what keeps the model from being trained; a note if there is no dist-opt."""
    try:
        tool = tools.find("dist-opt")
    except ToolError:
        exported.notes.append("not checked, as there is no dist-opt here: dist-opt --check says what keeps a model from being trained")
        return
    command = [tool, "--check", exported.path, f"--train={recipes.words(exported.recipe)}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        notes = "".join(f"\n{note}" for note in traced)
        raise ExportError(f"the graph cannot be trained as it is:\n{(done.stdout + done.stderr).strip()}{notes}")


def export(model, example, path, *, loss=None, labels=None, inputs=None, outputs=None, batch=0, dynamic=None, opset=17,
           constants=False, check=True, quiet=False):
    """Writes a PyTorch module as an ONNX model that `dist-run` trains as PyTorch would, and prints the command that does.

    model    a torch.nn.Module, on one device. If it is in evaluation mode it is exported in training mode; a module in training mode
             keeps the modes of its parts, so that what was frozen by eval() is. Afterwards it is as it was.
    example  what it is called with: a tensor, a tuple of arguments, a dictionary of keywords, or a tuple that ends in such a
             dictionary; tensors may be nested in tuples and dictionaries. At least one sample; the values do not matter.
    path     where the model is written. Larger ones than 2 GiB have their weights beside it, in PATH.data.
    loss     None: the run says it (--train="loss=...", by default the cross entropy of scores and `label`). Text: the same, kept in the
             model, e.g. "mse" or "loss=softmax-cross-entropy label-smoothing=0.1". A function or module of (output, labels): it
             comes into the graph. True, or "output:NAME": what the module returns is the loss.
    labels   with loss=FUNCTION: an example of the labels: a tensor, a tuple of arguments, or a dictionary of keywords. Their names
             (`label`, label_0, ..., the keys) are inputs of the graph, after those of the model.
    inputs   names of the inputs, those of labels included, instead of those of forward's arguments and the example's keys.
    outputs  which outputs of the module the graph has, by name, if not all: `output`, the keys of a dictionary, output_0, ...
    batch    the dimension of the samples, or {input: dimension} where it is not 0. The graph has it in front, as data have it.
    dynamic  {input: {dimension: name}} of further dimensions that vary.
    opset    the operator set, 7 to 24.
    constants  let what Python reads from tensors (item(), bool(), numpy()) be constants of the graph, with a note, instead of an error.
    check    ask dist-opt, if it is there, whether the graph can be trained.
    quiet    print nothing.

    Returns Exported. ExportError says what the graph could not say, where, and what to do: hooks, detach() and no_grad() before what is
    trained, values and sizes that Python took from the example, functions with gradients of their own, buffers that change,
    parameters that share memory, inputs without a batch."""
    work = Export(model, example, labels, loss, batch, inputs, constants)
    if not tracing.OLDEST <= opset <= tracing.NEWEST:
        raise ExportError(f"opset={opset}: operator sets {tracing.OLDEST} to {tracing.NEWEST} are read")
    was_training = model.training
    path = os.fspath(path)
    with tempfile.TemporaryDirectory(prefix=".tutti-", dir=os.path.dirname(os.path.abspath(path))) as folder, tracing.kept(work.flat):
        if not was_training:
            model.train()
            work.notes.append("the module was in evaluation mode; all of it is exported in training mode. To keep a part in evaluation "
                              "mode, call model.train(), then eval() of the part, before")
        work.flat.training = True
        work.run_eagerly()
        work.choose_outputs(outputs)
        rows, plain = module_checks.padded(model)
        work.recipe.update({"padding": ",".join(rows)} if rows else {})
        work.recipe.update({"trainable": ",".join(["default", *plain])} if plain else {})
        raw = os.path.join(folder, "model.onnx")
        how = ((work.input_names, work.output_names), work.dynamic_axes(dynamic), opset)
        work.traced = tracing.trace(work.flat, work.tensors, raw, *how)
        work.notes += work.traced if dynamic else []  # of sizes that vary besides the batch nobody knows whether they became constants
        graph = onnx_model.read(raw)
        work.check_sizes(graph, raw, how)
    facts = work.finish(graph)
    onnx_model.write(graph, path)
    exported = Exported(path, inputs=work.input_names, outputs=work.output_names, recipe=work.recipe, **facts)
    exported.notes += work.notes
    if check:
        _check(exported, work.traced)
    if not quiet:
        print(exported)
    return exported
