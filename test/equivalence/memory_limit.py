"""Trains models with less memory than they need (dist-run --memory) and compares the bits with those of a run that had all.

    memory_limit.py FOLDER --ranks N [--distribute KEYS] [--shares S ...] NAME...

NAME is a glob of test/models/exports, or a family of test/models/families. Each is trained once as it is and once with each share
of the memory that it then needed; what is refused must be refused with what is needed, where, and for what. Prints how much of it
each model can do with. Every model must have been trained with less.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import fnmatch
import importlib.util
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"
EXPORTS, FAMILIES = MODELS / "exports", MODELS / "families"
STEPS = 3
RECIPE = "loss=softmax-cross-entropy optimizer=adam learning-rate=0.01 global-batch=8"
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
REFUSAL = re.compile(r"needs \d+ bytes for temporary buffers, and \d+ are given: computing values again saves no more. .* live at '.+', of them .*"
                     r".*--memory allows a rank .*, of which variables and batches take .*--distribute", re.DOTALL)


def arguments_of(name, folder):
    """What dist-run takes for the model: file, data and recipe."""
    data = folder / f"{name}.npz"
    if (FAMILIES / f"{name}.py").exists():
        model = folder / f"{name}.onnx"
        subprocess.run([sys.executable, FAMILIES / "make_families.py", name, "tiny", model, "--data", data], check=True)
        expected = json.loads((FAMILIES / "expected" / f"{name}_tiny.json").read_text())
        run = next(iter(expected["runs"].values()))
        return [str(model), "--dataset", str(data), f"--train={run['train']} global-batch={expected['global_batch']}"]
    entry = json.loads((EXPORTS / "expected.json").read_text())[name]
    spec = importlib.util.spec_from_file_location("samples", EXPORTS / "samples.py")
    samples = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(samples)
    np.savez(data, **samples.make(entry["kind"]))
    return [str(EXPORTS / f"{name}.onnx"), "--dataset", str(data), f"--train={entry.get('train', RECIPE)}"]


def needed(command):
    text = subprocess.run([*command, "--dry-run"], capture_output=True, text=True, check=True).stdout
    amount, unit = re.search(r"^  memory +([0-9.]+) (\w+) of a rank at most", text, re.MULTILINE).groups()
    return float(amount) * UNITS[unit]


def train(command, saved, limit=None):
    """Whether it was trained; the bits are in `saved`."""
    more = [] if limit is None else [f"--memory={limit}"]
    run = subprocess.run([*command, "--steps", str(STEPS), "--save", saved, *more], capture_output=True, text=True)
    if run.returncode == 0:
        return True
    if limit is None or not REFUSAL.search(run.stderr):
        sys.exit(f"{' '.join(command)} {more}: status {run.returncode}\n{run.stderr}")
    return False


def try_model(name, given, folder):
    """The smallest share that was met."""
    command = ["dist-run", "-n", given.ranks, f"--distribute={given.distribute}", *arguments_of(name, folder)]
    bytes_needed = needed(command)
    whole, part = folder / "whole.safetensors", folder / "part.safetensors"
    train(command, whole)
    least = 1.0
    for share in sorted(given.shares, reverse=True):
        if not train(command, part, int(share * bytes_needed)):
            break
        if whole.read_bytes() != part.read_bytes():
            sys.exit(f"{name}: other bits with {share:g} of the memory")
        least = share
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--ranks", default="2")
    parser.add_argument("--distribute", default="")
    parser.add_argument("--shares", type=float, nargs="+", default=[0.95, 0.9, 0.7])
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    known = [path.name.partition(".")[0] for path in sorted(EXPORTS.glob("*.onnx")) if ".fixed" not in path.name]
    names = [name for pattern in given.names for name in fnmatch.filter(known, pattern) or [pattern]]
    met = {name: try_model(name, given, given.folder) for name in names}
    for name, share in met.items():
        print(f"{name}: {share:g} of the memory, equal bits")
    if max(met.values()) == 1:
        sys.exit("not every model was trained with less")


main()
