"""Trains models as exporters wrote them (test/models/exports, test/models/people) and compares losses and trained values with those expected.

    train_export.py NAME FOLDER --ranks N [N ...] [--of people] [--in-turn] [--part K/N]

NAME may be a glob. NAME.onnx is trained, and NAME.fixed.onnx if there is one, on each number of ranks, or is refused with the text that expected.json
has. With --in-turn each model is trained on two of the numbers, the next one on the next two; --part takes every Nth model.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import fnmatch
import importlib.util
import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402

LIMIT = 2e-6  # of |difference| / loss
RECIPE = "loss=softmax-cross-entropy optimizer=sgd learning-rate=0.05 global-batch=8"


class Failure(Exception):
    """What is wrong with a model."""


class Collection:
    """A folder of models with what is expected of them, and the script that makes its samples."""

    def __init__(self, name):
        self.folder = HERE.parent / "models" / name
        self.expected = json.loads((self.folder / "expected.json").read_text())
        spec = importlib.util.spec_from_file_location(f"{name}_samples", self.folder / "samples.py")
        self.samples = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.samples)

    def arrays(self, entry):
        if "kind" in entry:
            return self.samples.make(entry["kind"])
        batch = int(entry["train"].partition("global-batch=")[2].split()[0])
        return self.samples.make(entry["inputs"], batch)

    def compare_losses(self, entry, losses):
        worst = max(abs(a - b) / max(abs(b), 0.1) for a, b in zip(losses, entry["loss"], strict=True))
        if not worst <= LIMIT * entry.get("rounding", 1):
            raise Failure(f"losses {losses}, expected {entry['loss']}")
        return worst

    def compare_variables(self, entry, model, final):
        initial = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(model).graph.initializer}
        for name, expected in entry.get("variables", {}).items():
            if name not in final:
                raise Failure(f"'{name}' is not among the variables {sorted(final)}")
            found = self.samples.fingerprint(initial[name], final[name])
            if self.samples.differs(found, expected, entry.get("rounding", 1)):
                raise Failure(f"'{name}': [norm, change, along] {found}, expected {expected}")


def train(collection, entry, model, ranks, folder):
    """What happened, in words, if it is what was expected."""
    data, metrics, saved = folder / "data.npz", folder / "metrics.jsonl", folder / "out.safetensors"
    np.savez(data, **collection.arrays(entry))
    command = ["dist-run", "-n", ranks, model, "--dataset", data, "--shuffle=false", "--steps", collection.samples.STEPS,
               f"--train={entry.get('train', RECIPE)}", "--metrics", metrics, "--save", saved, *entry.get("flags", [])]
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    refusal = entry.get("refused") or entry.get("pending")
    if run.returncode == 1 and refusal:
        if refusal not in run.stderr:
            raise Failure(f"expected a refusal that says\n  {refusal}\nfound\n{run.stderr}")
        return "refused"
    if run.returncode:
        raise Failure(f"status {run.returncode}:\n{run.stdout}{run.stderr}")
    if "refused" in entry:
        raise Failure("trained, but expected to be refused")
    losses = [json.loads(line)["loss"] for line in metrics.read_text().splitlines()]
    worst = collection.compare_losses(entry, losses)
    collection.compare_variables(entry, model, read_checkpoint(str(saved)))
    return f"largest relative difference {worst:.1e}"


def ranks_of(entry, place, arguments):
    """Those that a model is trained on, the `place`th of all; what is refused is refused on any."""
    ranks = arguments.ranks
    if "refused" in entry:
        return ranks[-1:]
    return [ranks[place % len(ranks)], ranks[(place + 1) % len(ranks)]] if arguments.in_turn else ranks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", nargs="+", required=True)
    parser.add_argument("--of", default="exports", choices=["exports", "people"])
    parser.add_argument("--in-turn", action="store_true")
    parser.add_argument("--part", default="1/1")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    collection, failed = Collection(arguments.of), 0
    part, parts = map(int, arguments.part.split("/"))
    names = [name for name in sorted(collection.expected) if fnmatch.fnmatch(name, arguments.name)]
    if not names:
        sys.exit(f"no model is called {arguments.name}")
    for place in range(part - 1, len(names), parts):
        entry = collection.expected[names[place]]
        models = [collection.folder / f"{names[place]}{form}.onnx" for form in ("", ".fixed")]
        for model, ranks in [(model, ranks) for model in models if model.exists() for ranks in ranks_of(entry, place, arguments)]:
            try:
                print(f"{model.name} -n {ranks}: {train(collection, entry, model, ranks, arguments.folder)}", flush=True)
            except Failure as failure:
                failed += 1
                print(f"{model.name} -n {ranks}: {failure}", flush=True)
    sys.exit(failed > 0)


main()
