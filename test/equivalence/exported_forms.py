"""Training steps of models with newer operators, exported and read again: they train as before, bit for bit.

    exported_forms.py DIST_OPT DIST_RUN FOLDER [NAME...]            ends with 1 unless they do

The models are those of operators.py and branches.py: Ifs that a run decides, loops, 8-bit arithmetic, and operators that choose, draw and look up.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import subprocess
import sys

import numpy as np
import onnx

import branches  # noqa: F401  (fills numpy_models.CASES)
import numpy_models
import operators
from checkpoint_file import read_checkpoint

RECIPE = "--train=loss=output optimizer=sgd learning-rate=0.1 global-batch=12"


def models(folder):
    """Writes each model and its data; its name and its variables."""
    for name, (text, inputs, variables, constants) in operators.CASES.items():
        operators.write(folder / "model.onnx", text, inputs, variables, constants)
        np.savez(folder / "data.npz", **inputs)
        yield name, variables
    for name, (graph, inputs, variables, _) in numpy_models.CASES.items():
        numpy_models.write(folder / "model.onnx", graph, inputs, variables)
        np.savez(folder / "data.npz", **inputs)
        yield name, variables


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def compare(dist_opt, dist_run, folder, variables):
    """What is wrong, or nothing."""
    problem = run(dist_opt, folder / "model.onnx", RECIPE, f"--export-onnx={folder / 'exported.onnx'}", "-o", folder / "original.mlir")
    if problem:
        return problem
    onnx.checker.check_model(str(folder / "exported.onnx"))
    trained = []
    for program in ("original.mlir", "exported.onnx"):
        saved = folder / "out.safetensors"
        problem = run(dist_run, folder / program, "--dataset", folder / "data.npz", "--shuffle=false", "--steps", "2", "--save", saved)
        if problem:
            return problem
        trained.append(read_checkpoint(str(saved)))
    for name, initial in variables.items():
        if trained[0][name].tobytes() != trained[1][name].tobytes():
            return f"{name} differs"
        if trained[0][name].tobytes() == np.asarray(initial).tobytes():
            return f"{name} is not trained"
    return ""


def main():
    dist_opt, dist_run, folder, wanted = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for name, variables in models(folder):
        if wanted and name not in wanted:
            continue
        problem = compare(dist_opt, dist_run, folder, variables)
        failed |= bool(problem)
        print(f"{name}: {problem or 'equal'}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
