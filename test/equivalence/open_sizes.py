"""Models whose batch and time both vary, in the forms of exporters, trained without a word about sizes:

    open_sizes.py DIST_RUN FOLDER [RANKS...]        ends with 1 unless they train as those whose file says the sizes, bit for bit

Each model is written several times: with a time that is a number, with a batch and a time that vary, as a trace of one sample whose time varies, and
with a batch and a time that are numbers, so that nothing is computed from sizes; that form trains on one rank, to the same losses.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto

for folder_of_modules in ("test/models/families", "tools/checkpoints"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / folder_of_modules))
from checkpoint_file import read_checkpoint  # noqa: E402
from graph_writer import GraphWriter  # noqa: E402

SAMPLES, BATCH, TIME, HIDDEN, HEADS, WORDS, POSITIONS = 16, 8, 6, 8, 2, 20, 32
FORMS = {"fixed": (None, TIME), "open": (None, "time"), "traced": (1, "time"), "numbers": (BATCH, TIME)}


class Writer(GraphWriter):
    """A graph over `ids` whose time is a number, or a name."""

    def __init__(self, batch, time):
        super().__init__(batch=batch)
        self.time = time
        self.input("ids", TensorProto.INT64, time)
        self.words = self.normal("words", (WORDS, HIDDEN), 1.0)

    def time_of(self, x):
        return (x, 1) if isinstance(self.time, str) else self.time

    def conv1d(self, x, name, outputs):
        """Conv1D of the transformers library: addmm on x.view(-1, x.size(-1)), then view(x.size()[:-1] + (outputs,))."""
        weight, bias = self.normal(name + ".weight", (HIDDEN, outputs), 1.0), self.filled(name + ".bias", (outputs,), 0.0)
        y = self("Gemm", self.reshape(x, -1, (x, 2)), weight, bias)
        lead = self.slice(self("Shape", x), 0, -1, 0)
        return self("Reshape", y, self("Concat", lead, self.constant([outputs], np.int64), axis=0))

    def heads(self, x, order):
        """x.view(B, T, heads, width), permuted."""
        y = self.reshape(x, self.batch_of(x), self.time_of(x), HEADS, HIDDEN // HEADS)
        return self("Transpose", y, perm=order)

    def attention(self, x):
        query, key, value = (self.conv1d(x, name, HIDDEN) for name in ("query", "key", "value"))
        scores = self("MatMul", self.heads(query, [0, 2, 1, 3]), self.heads(key, [0, 2, 3, 1]))
        y = self("MatMul", self("Softmax", scores, axis=-1), self.heads(value, [0, 2, 1, 3]))
        y = self("Transpose", y, perm=[0, 2, 1, 3])
        return self.reshape(y, self.batch_of(y), self.time_of(y), HIDDEN)

    def places(self, x):
        """As many of the first positions as there are words."""
        count = self.size(x, 1) if isinstance(self.time, str) else self.constant(self.time, np.int64)
        zero, one = self.constant(0, np.int64), self.constant(1, np.int64)
        table = self.normal("positions", (POSITIONS, HIDDEN), 1.0)
        return self("Gather", table, self.unsqueeze(self("Range", zero, count, one), 0))

    def end(self, scores):
        self("Identity", scores, result="scores")
        self.output("scores", self.batch or "batch", WORDS)


def language_model(g):
    """GPT-2's forms: positions, attention, Conv1D, and a mean over the flattened words."""
    x = g("Add", g("Gather", g.words, "ids"), g.places("ids"))
    scores = g.conv1d(g.attention(x), "head", WORDS)
    g.input("labels", TensorProto.INT64, g.time)
    g.cross_entropy(scores, "labels", WORDS)
    g.output("loss")


def heads_in_the_batch(g):
    """BLOOM's: view(B * heads, T, width), and back."""
    x = g("Gather", g.words, "ids")
    y = g.heads(g.conv1d(x, "query", HIDDEN), [0, 2, 1, 3])
    y = g.reshape(y, -1, g.time_of(x), HIDDEN // HEADS)
    scores = g("MatMul", y, g("Transpose", y, perm=[0, 2, 1]))
    y = g("MatMul", g("Softmax", scores, axis=-1), y)
    y = g.reshape(y, g.batch_of(x), HEADS, g.time_of(x), HIDDEN // HEADS)
    y = g.reshape(g("Transpose", y, perm=[0, 2, 1, 3]), g.batch_of(x), g.time_of(x), HIDDEN)
    g.end(g("ReduceMean", g.conv1d(y, "head", WORDS), axes=[1], keepdims=0))


def last_words(g):
    """Of each sample the word at its length: x.view(-1, V)[torch.arange(B) * T + lengths]"""
    scores = g.conv1d(g("Gather", g.words, "ids"), "head", WORDS)
    g.input("lengths", TensorProto.INT64)
    zero, one = g.constant(0, np.int64), g.constant(1, np.int64)
    rows = g("Range", zero, g.size(scores, 0), one)
    places = g("Add", g("Mul", rows, g.size(scores, 1)), "lengths")
    g.end(g("Gather", g.reshape(scores, -1, WORDS), places, axis=0))


def parts_of_the_batch(g):
    """Each sample scored against all others, as contrastive losses do: weights[:B, :B] of a table, and every second of its first B rows."""
    y = g("ReduceMean", g("Gather", g.words, "ids"), axes=[1], keepdims=0)
    first, count, step = g.constant([0], np.int64), g.unsqueeze(g.size(y, 0), 0), lambda number: g.constant([number], np.int64)
    weights = g("Slice", g.normal("weights", (POSITIONS, POSITIONS), 1.0), first, count, step(0))
    weights = g("Slice", weights, first, count, step(1))
    scores = g("Mul", g("MatMul", y, g("Transpose", y, perm=[1, 0])), weights)
    y = g("Add", g("MatMul", scores, y), g("Slice", g.normal("rows", (POSITIONS, HIDDEN), 1.0), first, count, step(0)))
    second = g("Slice", g.normal("columns", (HIDDEN, POSITIONS), 1.0), first, count, step(1), step(2))
    y = g("Add", y, g("ReduceMean", second, axes=[1], keepdims=0))
    g.end(g("MatMul", y, g.normal("head", (HIDDEN, WORDS), 1.0)))


def computed_parts(g):
    """What whole threes leave of the batch, at most five samples of it, at least eleven entries of a table, and every second of zeros as many as that."""
    y = g("ReduceMean", g("Gather", g.words, "ids"), axes=[1], keepdims=0)
    batch, rows = g.size(y, 0), g.normal("rows", (POSITIONS, HIDDEN), 1.0)
    zero = g.constant([0], np.int64)
    for op, number, table in (("Mod", 3, y), ("Min", 5, y), ("Max", 11, rows), ("Mod", 7, rows), ("Min", 50, rows)):
        count = g.unsqueeze(g(op, batch, g.constant(number, np.int64)), 0)
        first = g("ReduceMean", g("Slice", table, zero, count, zero), axes=[0], keepdims=0)
        ones = g("ConstantOfShape", count, value=onnx.numpy_helper.from_array(np.ones(1, np.float32)))
        y = g("Add", y, g("Mul", first, g("ReduceSum", ones, keepdims=0)))
    g.end(g("MatMul", y, g.normal("head", (HIDDEN, WORDS), 1.0)))


def turned(g):
    """x.view(T, B, H) of [B, T, H], which takes words of one sample for those of others."""
    x = g("Gather", g.words, "ids")
    y = g("ReduceMean", g.reshape(x, g.time_of(x), g.batch_of(x), HIDDEN), axes=[0], keepdims=0)
    g.end(g("MatMul", y, g.normal("head", (HIDDEN, WORDS), 1.0)))


def turned_by_transpose(g):
    """What the refusal of `turned` says: x.transpose(0, 1)."""
    x = g("Gather", g.words, "ids")
    y = g("ReduceMean", g("Transpose", x, perm=[1, 0, 2]), axes=[0], keepdims=0)
    g.end(g("MatMul", y, g.normal("head", (HIDDEN, WORDS), 1.0)))


# A trace of one sample has no arange(B).
MODELS = {language_model: ("fixed", "open", "traced"), heads_in_the_batch: ("fixed", "open", "traced"), last_words: ("fixed", "open"),
          parts_of_the_batch: ("fixed", "open", "numbers"), computed_parts: ("fixed", "open", "numbers"), turned_by_transpose: ("fixed", "open")}


def train(dist_run, folder, name, form, ranks):
    """The losses and what is saved; or what is said instead."""
    loss = "output" if name == "language_model" else "softmax-cross-entropy"
    metrics, saved = folder / "metrics.jsonl", folder / "saved.safetensors"
    done = subprocess.run([dist_run, "-n", str(ranks), folder / f"{name}.{form}.onnx", "--dataset", folder / "data.npz", "--shuffle=false",
                           "--steps", "3", f"--train=loss={loss} optimizer=adam learning-rate=0.01 global-batch={BATCH}", "--verify",
                           "--metrics", metrics, "--save", saved], capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr
    losses = [json.loads(line)["loss"] for line in metrics.read_text().splitlines()]
    return losses, {key: value.tobytes() for key, value in read_checkpoint(str(saved)).items()}


def compare(dist_run, folder, name, forms, ranks):
    """What is wrong, or nothing."""
    alone = None
    for count in ranks:
        losses, expected = train(dist_run, folder, name, forms[0], count)
        if losses is None:
            return f"{forms[0]} on {count}: {expected}"
        alone = alone or losses
        if not np.allclose(losses, alone, rtol=1e-5) or losses[0] == losses[-1]:
            return f"{count} ranks have losses {losses}, one has {alone}"
        for form in forms[1:]:
            if form == "numbers" and count > 1:
                continue
            found, variables = train(dist_run, folder, name, form, count)
            if found is None:
                return f"{form} on {count}: {variables}"
            if form == "numbers" and np.allclose(found, losses, rtol=1e-6):
                continue
            if found != losses or variables != expected:
                return f"{form} on {count}: losses {found}, not {losses}, or other variables"
    return ""


def main():
    dist_run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    ranks = [int(count) for count in sys.argv[3:]] or [1, 2, 4]
    folder.mkdir(parents=True, exist_ok=True)
    for make in [*MODELS, turned]:
        for form in MODELS.get(make, ("open",)):
            graph = Writer(*FORMS[form])
            make(graph)
            onnx.save(graph.model(make.__name__), folder / f"{make.__name__}.{form}.onnx")
    random = np.random.default_rng(0)
    words = {name: random.integers(0, WORDS, (SAMPLES, TIME)) for name in ("ids", "labels")}
    np.savez(folder / "data.npz", label=random.integers(0, WORDS, SAMPLES), lengths=random.integers(0, TIME, SAMPLES), **words)
    failed = False
    for make, forms in MODELS.items():
        problem = compare(dist_run, folder, make.__name__, forms, ranks)
        failed |= bool(problem)
        print(f"{make.__name__}: {problem or 'equal'}")
    losses, said = train(dist_run, folder, "turned", "open", 2)
    failed |= losses is not None
    print(f"turned: {said if losses is None else 'is trained'}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
