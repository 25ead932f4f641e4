"""Compares the noise scale that steps report with numpy's: the formulas of McCandlish et al. 2018, appendix A.1, from the gradients
of each rank's samples and of the whole batch.

    noise_scale.py MODEL.onnx --ranks N --metrics F.jsonl --dataset F.npz [--batch 64] [--learning-rate 0.1]

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import copy
import json
import os
import sys

import numpy as np
import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "models"))
import reference_training  # noqa: E402


def gradient_of(program, batch, rate):
    """All gradients as one vector: how far a step of plain SGD goes, by its rate."""
    moved = copy.copy(program)
    moved.constants = dict(program.constants)
    moved.step(batch)
    return np.concatenate([((program.constants[name] - moved.constants[name]) / rate).ravel()
                           for name in sorted(program.updates) if name in program.trained])


def expected(program, batch, ranks, rate):
    parts = [{name: array[rank::ranks] for name, array in batch.items()} for rank in range(ranks)]
    small = np.mean([np.sum(gradient_of(program, part, rate) ** 2) for part in parts])
    big = np.sum(gradient_of(program, batch, rate) ** 2)
    whole = len(batch["label"])
    part = whole / ranks
    variance = (small - big) / (1 / part - 1 / whole)
    gradient = (whole * big - part * small) / (whole - part)
    return {"noise_scale": variance / gradient, "noise_scale.variance": variance, "noise_scale.gradient": gradient}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--metrics", required=True)
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=0.1)
    arguments = parser.parse_args()
    model = onnx.load(arguments.model)
    trained = {tensor.name for tensor in model.graph.initializer}
    program = reference_training.Program(
        reference_training.apply_recipe(model, arguments.learning_rate, 0), np.float64)
    program.trained = trained
    with open(arguments.metrics, encoding="utf-8") as file:
        steps = [line for line in map(json.loads, file) if "noise_scale" in line]
    if len(steps) < 3:
        sys.exit(f"{arguments.metrics} has {len(steps)} steps with a noise_scale")
    batches = reference_training.batches(arguments.dataset, arguments.batch, len(steps), np.float64)
    for line, batch in zip(steps, batches):
        for name, value in expected(program, batch, arguments.ranks, arguments.learning_rate).items():
            if abs(line[name] - value) > 1e-4 * abs(value):
                sys.exit(f"step {line['step']}: {name} is {line[name]}, numpy has {value}")
        program.step(batch)
    print(f"{len(steps)} steps agree")


if __name__ == "__main__":
    main()
