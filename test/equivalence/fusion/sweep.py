"""Trains a model with every way to cut buckets and demands the variables of the unfused run, bit for bit.

    sweep.py RANKS MODEL.onnx DATASET RECIPE FOLDER [OPTIONS OF collective-fuse ...]

Prints one line for each way: how many collectives a step makes, and "equal".
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import shutil
import subprocess
import sys

STEPS = "3"


def distribute(model, recipe, options, program):
    """Writes the distributed program, with buckets cut by `options`; None: without collective-fuse."""
    fuse = [] if options is None else [f"--collective-fuse={options}"]
    subprocess.run(["dist-opt", model, f"--train={recipe}", "--distribute=buckets=none", *fuse, "-o", program], check=True)


def train(program, ranks, dataset, checkpoint):
    command = ["dist-run", "-n", ranks, program, "--dataset", dataset, "--steps", STEPS, "--seed", "7", "--save", checkpoint]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    if "staged" in run.stdout:
        sys.exit(f"payload was copied to be sent:\n{run.stdout}")
    return int(re.search(r"(\d+) collectives", run.stdout).group(1)) / int(STEPS)


def main():
    ranks, model, dataset, recipe, folder = sys.argv[1:6]
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program = folder / "program.mlir"  # one name for all: checkpoints hold it
    reference = None
    for options in [None, *sys.argv[6:]]:
        distribute(model, recipe, options, program)
        checkpoint = folder / "variables.safetensors"
        calls = train(program, ranks, dataset, checkpoint)
        reference = reference or checkpoint.read_bytes()
        if checkpoint.read_bytes() != reference:
            sys.exit(f"{options}: other variables than without fusion")
        print(f"{calls:g} collectives a step, {options or 'not fused'}: equal")


if __name__ == "__main__":
    main()
