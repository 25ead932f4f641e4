"""`tutti.train`: runs dist-run, shows how far it is, and returns what it found."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from . import onnx_model, recipes, tools
from .dataset import Dataset
from .errors import DatasetError, Error, RunError, Stopped
from .progress import Progress, line

POLL = 0.2  # seconds between two looks at --metrics
STOPPED = {128 + signal.SIGINT, 128 + signal.SIGTERM, 128 + signal.SIGHUP}
QUIET = re.compile(r"variables? (trained|kept|frozen)|is not distributed; distributing it")


class Result:
    """What a run found.

    records     one dictionary a step: step, epoch, loss, samples_per_second, other metrics, evaluation (docs/running.md)
    losses      the loss of each step
    evaluation  {name: value} of the last evaluation, to the digits that dist-run prints; empty without `evaluate`
    save, export, model_dir, metrics   paths of what was written; None for what was not asked for
    model       the model that was trained; with `save` or `export` it is what `load_into` takes
    notes       what dist-run said besides: warnings and remarks
    summary     its last lines: time, memory, communication
    command     the words of the command; seconds, how long it ran"""

    def __init__(self, **facts):
        self.__dict__.update(facts)

    @property
    def losses(self):
        return [math.nan if record.get("loss") is None else record["loss"] for record in self.records]

    @property
    def evaluation(self):
        return self.final_evaluation or next((record["evaluation"] for record in reversed(self.records) if record.get("evaluation")), {})

    def __repr__(self):
        losses = self.losses
        text = f"Result of {len(self.records)} steps"
        if losses:
            text += f": loss {losses[0]:.6g} -> {losses[-1]:.6g}"
        if self.evaluation:
            text += ", evaluation " + " ".join(f"{name} {value:.4g}" for name, value in self.evaluation.items())
        return text


class Metrics:
    """Reads the lines that are added to a file of --metrics."""

    def __init__(self, path):
        self.path, self.records, self._place, self._rest = path, [], 0, b""

    def read(self):
        """The last record, if there are new ones."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self._place)
                content = self._rest + file.read()
                self._place = file.tell()
        except FileNotFoundError:
            return None
        *lines, self._rest = content.split(b"\n")
        new = [json.loads(text) for text in lines if text.strip()]
        self.records += new
        return new[-1] if new else None


def _guard(process):
    """A shell that asks `process` to stop when this one is gone: then its input ends without a line. (A death signal of the system would
    come once for each thread of this process, and a second signal ends a run at once.)"""
    return subprocess.Popen(["/bin/sh", "-c", 'read line || kill -TERM "$0"', str(process.pid)], stdin=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def _collect(stream, lines, seen):
    """Reads a stream to its end in a thread of its own."""
    def read():
        for text in stream:
            lines.append(text.rstrip("\n"))
            seen(lines[-1])
    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread


class Run:
    """One process of dist-run, from its start to its end."""

    def __init__(self, command, metrics, progress, env):
        self.out, self.log, self.total, self.metrics, self._progress = [], [], None, metrics, progress
        self.begin, self.interrupts = time.monotonic(), 0
        # In a session of its own a Ctrl-C of the terminal comes once, from here; a second one would end it at once.
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                        errors="replace", start_new_session=True, env=env)
        self._guard = _guard(self.process)
        self._threads = [_collect(self.process.stdout, self.out, self._notice), _collect(self.process.stderr, self.log, lambda text: None)]

    def _notice(self, text):
        match = re.match(r"training .* (\d[\d,]*) steps,", text)
        if match:
            self.total = int(match[1].replace(",", ""))

    def _show(self):
        record = self.metrics.read()
        if record and self._progress:
            self._progress.show(line(record, self.total))

    def wait(self):
        """Waits for the end, and hands on each Ctrl-C: the first ends the run between two steps, a second at once. Whatever else
        happens here ends the run, too."""
        try:
            while self.process.poll() is None:
                try:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        self.process.wait(POLL)
                    self._show()
                except KeyboardInterrupt:
                    self._interrupt()
            self._show()
        except BaseException:
            self.process.terminate()
            raise
        finally:
            self._close()

    def _close(self):
        self.process.wait()
        for thread in self._threads:
            thread.join()
        self._guard.communicate(b"ended\n")
        self.process.stdout.close()
        self.process.stderr.close()
        if self._progress:
            self._progress.end()
        self.seconds = time.monotonic() - self.begin

    def _interrupt(self):
        self.interrupts += 1
        if self.interrupts == 1:
            print("\nstopping after this step, and saving; Ctrl-C once more ends it at once", file=sys.stderr)
        self.process.send_signal(signal.SIGINT)

    def error(self):
        """What dist-run said of its failure: from the first error on."""
        first = next((place for place, text in enumerate(self.log) if re.search(r"(^|: )error: ", text)), None)
        told = self.log[first:] if first is not None else self.log[-20:] or [f"dist-run ended with status {self.process.returncode} and "
                                                                             "said nothing"]
        if self.process.returncode < 0:
            told = [*told, f"dist-run was ended by signal {-self.process.returncode}"]
        return "\n".join(told)


def _final_evaluation(out):
    """The numbers of the line `evaluation: loss 0.1821 accuracy 0.9444 (360 samples)` at the end."""
    text = next((text for text in reversed(out) if text.startswith("evaluation: ")), "")
    return {name: float(value) for name, value in re.findall(r"(\w+) (-?(?:[\d.]+(?:e[-+]?\d+)?|nan|inf))(?= |$)", text.partition(" (")[0])}


def _data_file(data, model, loss, folder, flag, bound):
    """The file of a dataset; arrays are checked against the model and written into the run's folder."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    data = data if isinstance(data, Dataset) else Dataset(data)
    if not bound and _is_onnx(model) and onnx_model.is_there():
        try:
            data.check(model, loss)
        except DatasetError as error:
            raise DatasetError(f"{flag}: {error}") from None
    return data.save(os.path.join(folder, f"{flag}.npz"))


def _is_onnx(model):
    return os.fspath(model).endswith(".onnx")


def train(model, dataset=None, *, ranks=1, train=None, distribute=None, evaluate=None, save=None, export=None, metrics=None, model_dir=None,
          options=None, arguments=(), progress=True, dist_run=None, env=None, **keys):
    """Trains a model with dist-run on `ranks` ranks of this machine, and returns Result.

    model      the path of a model, or what `export` returned
    dataset    a Dataset, or what Dataset takes (a dictionary of arrays, a DataLoader, ...), or the path of what dist-run reads
               (docs/data.md). Arrays are checked against the inputs of an ONNX model before anything runs, and written below TMPDIR for
               the run; save() writes larger ones once
    ranks      how many processes divide the batch; the numbers do not depend on it
    train      keys of --train: text, or a dictionary; they come to those that `export` wrote into the model
    distribute keys of --distribute, in the same way
    evaluate   data to evaluate the trained model on, as `dataset`
    save, export, metrics, model_dir   paths of what dist-run writes: variables (safetensors), the model with trained values (ONNX), JSON
               lines, the run directory. Without save and export the variables are kept beside the model, in MODEL.trained.safetensors
    options    further flags: {"threads": 2, "evaluate_every": 100}; True is a flag without a value, a list repeats it
    arguments  further words of the command line, as they are
    progress   one line that changes in place; False: nothing; a function: it gets each new last record
    dist_run   the program; by default that of TUTTI_TOOLS, on PATH, or the one this package came with
    env        the environment of the run instead of this one's
    keys       a flag of dist-run (epochs=3, steps=100, seed=1, shuffle=False, load=...), or a key of --train (optimizer="adam",
               learning_rate=1e-3, global_batch=64, loss="mse")

    RunError has the text of dist-run's own error. Ctrl-C ends the run between two steps: what is trained is saved, and Stopped, a
    KeyboardInterrupt, is raised with its `result`. DatasetError: the arrays do not fit. ToolError: there is no dist-run."""
    flags, recipe = _divide(keys, options)
    recipe = {**_recipe_of(model), **recipes.keys_of(train), **recipe}
    program = tools.find("dist-run", dist_run)
    if not (save or export or model_dir or flags.get("evaluate_only") or flags.get("plan")):
        save = f"{os.path.splitext(os.fspath(model))[0]}.trained.safetensors"
    with tempfile.TemporaryDirectory(prefix="tutti-") as folder:
        bound = bool(flags.get("bind"))
        loss = recipe.get("loss")
        files = {"dataset": _data_file(dataset, model, loss, folder, "dataset", bound) if dataset is not None else None,
                 "evaluate": _data_file(evaluate, model, loss, folder, "evaluate", bound) if evaluate is not None else None}
        lines = os.fspath(metrics) if metrics else os.path.join(folder, "metrics.jsonl")
        written = {"save": save, "export": export, "model_dir": model_dir, "metrics": lines}
        command = [program, os.fspath(model), *(["-n", str(ranks)] if "local_cluster" not in flags else []),
                   *([f"--train={recipes.words(recipe)}"] if recipe else []),
                   *([f"--distribute={recipes.words(recipes.keys_of(distribute))}"] if distribute is not None else []),
                   *recipes.flags({**files, **written, **flags}), *map(str, arguments)]
        return _finish(Run(command, Metrics(lines), _shower(progress), env), command, model, {**written, "metrics": metrics})


class Teller:
    """Hands each record to a function, as Progress has it."""

    def __init__(self, function):
        self.show, self.end = function, lambda: None


def _shower(progress):
    if progress is True:
        return Progress()
    return Teller(progress) if callable(progress) else None


FLAGS = {"steps", "epochs", "seed", "shuffle", "threads", "load", "bind", "evaluate_every", "evaluate_only", "variables", "local_cluster", "verify",
         "backend", "reductions", "trace", "save_checkpoints_steps", "keep_checkpoint_max", "on_non_finite", "max_restarts", "resume_anyway"}


def _divide(keys, options):
    """(flags, keys of --train) of what was given by name; those of `options` are flags whatever they are called."""
    flags = {name: value for name, value in keys.items() if name in FLAGS}
    flags.update({name.replace("-", "_"): value for name, value in (options or {}).items()})
    if "shuffle" in flags:
        flags["shuffle"] = recipes.text_of(flags["shuffle"])
    return flags, recipes.keys_of({name: value for name, value in keys.items() if name not in FLAGS})


def _recipe_of(model):
    """Keys of --train that `export` wrote into a model."""
    if hasattr(model, "recipe"):
        return dict(model.recipe)
    if not os.path.exists(model):
        raise Error(f"there is no model '{os.fspath(model)}'")
    if not _is_onnx(model):
        return {}
    try:
        return recipes.keys_of(onnx_model.metadata(onnx_model.read(model, values=False)).get(onnx_model.RECIPE))
    except Error:
        return {}  # without the package onnx, or of another form: dist-run says what is wrong with it


def _finish(run, command, model, written):
    """Waits, and makes Result, or the error that fits."""
    run.wait()
    status = run.process.returncode
    paths = {name: os.fspath(path) if path else None for name, path in written.items()}
    notes = [text for text in run.log if not QUIET.search(text)]
    result = Result(records=run.metrics.records, notes=notes, summary=_summary(run.out), command=command, seconds=run.seconds,
                    model=os.fspath(model), final_evaluation=_final_evaluation(run.out), **paths)
    if run.interrupts and status in STOPPED:
        for name in ("save", "export"):
            if paths[name] and not os.path.exists(paths[name]):
                setattr(result, name, None)
        raise Stopped(result)
    if status != 0:
        raise RunError(run.error(), status, command, "\n".join(run.log))
    return result


def _summary(out):
    begin = next((place for place, text in enumerate(out) if re.match(r"trained .* for ", text)), len(out))
    return "\n".join(out[begin:])
