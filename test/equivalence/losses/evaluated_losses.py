"""Evaluates losses of every kind on one rank and on several, on sets that fill no whole number of batches:

    evaluated_losses.py DIST_RUN FOLDER [--kinds NAME ...] [--ranks N ...] [--sizes SAMPLES ...] [--distribute KEYS]

What must come out is taken from steps of one device that change nothing: of one batch of all samples where the loss is a mean, sum, maximum or
minimum over samples, else the mean over whole batches.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

import batch_losses

BATCH = batch_losses.BATCH
# Each sample counts once; all other losses are numbers of whole batches.
OF_SAMPLES = {"zeros_of_samples", "sum", "sum_of_cross_entropies", "mean_and_weights", "sum_times_number", "maximum", "metrics"}


def write_samples(folder, size):
    """The first ones of the data of the steps, and some of them again, turned around."""
    with np.load(folder / "data.npz") as given:
        arrays = {name: np.concatenate([array, array[::-1]])[:size] for name, array in given.items()}
    path = folder / f"{size}.npz"
    np.savez(path, **arrays)
    return path


def run(dist_run, folder, ranks, batch, *arguments):
    """The last line of metrics, or what the run complained about; and what it told."""
    metrics = folder / "metrics.jsonl"
    command = [dist_run, "-n", str(ranks), folder / "model.onnx", "--shuffle=false", "--metrics", metrics,
               f"--train=loss=output:loss optimizer=sgd learning-rate=0 global-batch={batch}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = metrics.read_text().splitlines() if done.returncode == 0 else []
    return [json.loads(line) for line in lines], done.stderr + done.stdout


def expect(dist_run, folder, kind, samples, size):
    """None where there is nothing to expect: no batch is full."""
    batch = size if kind in OF_SAMPLES else BATCH
    steps = size // batch
    if steps == 0:
        return None
    lines, told = run(dist_run, folder, 1, batch, "--dataset", samples, "--steps", str(steps))
    if not lines:
        sys.exit(f"{kind}: {told}")
    return np.mean([line["loss"] for line in lines])


def find_problem(kind, expected, size, lines, told):
    if expected is None:
        return None if "too few for one global batch" in told else f"not refused: {told}"
    if not lines:
        return told
    found = lines[-1]["evaluation"]["loss"]
    if not abs(found - expected) <= 1e-5 * max(abs(expected), 1e-3):
        return f"{found}, not {expected}"
    left_out = 0 if kind in OF_SAMPLES else size % BATCH
    is_told = f"leaves out {left_out} of {size} samples" in told
    return None if is_told == (left_out > 0) else f"what is left out is not told: {told}"


def draws(lines):
    """Noise of an evaluation is another one than that of a step, and depends on how its samples are dealt."""
    return any("Random" in line or "Bernoulli" in line for line in lines)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("dist_run")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--kinds", nargs="*", default=[kind for kind, lines in batch_losses.KINDS.items() if not draws(lines)])
    arguments.add_argument("--ranks", nargs="*", type=int, default=[1, 2, 3, 4])
    arguments.add_argument("--sizes", nargs="*", type=int, default=[29])
    arguments.add_argument("--distribute", default="")
    a = arguments.parse_args()
    failed = 0
    for kind in a.kinds:
        folder = a.folder / kind
        batch_losses.write(kind, folder)
        keys = [f"--distribute={a.distribute}"] if a.distribute else []
        for size in a.sizes:
            samples = write_samples(folder, size)
            expected = expect(a.dist_run, folder, kind, samples, size)
            for ranks in a.ranks:
                lines, told = run(a.dist_run, folder, ranks, BATCH, "--dataset", folder / "data.npz", "--steps", "1", "--evaluate", samples,
                                  "--evaluate-every", "1", *keys)
                problem = find_problem(kind, expected, size, lines, told)
                failed += problem is not None
                print(f"{kind} of {size}, {ranks} ranks: {problem or 'as expected'}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
