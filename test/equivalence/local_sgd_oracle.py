"""Simulates ranks that train on their own and average their variables every few steps, in numpy.

    local_sgd_oracle.py MODEL.onnx --ranks N --every H --steps S --dataset F.npz --save F.safetensors [--batch 64]
        [--learning-rate 0.1] [--momentum 0.9] [--clip-norm C]

Rank r takes samples r, r + N, ... of each global batch, in file order. Variables are saved as `dist-run --save` does: those
that ranks have of their own are averaged.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import sys

import numpy as np
import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "models"))
import reference_training  # noqa: E402
from checkpoint_file import write_checkpoint  # noqa: E402  (found through reference_training)


def load(arguments):
    model = onnx.load(arguments.model)
    trainable = {tensor.name for tensor in model.graph.initializer}
    model = reference_training.apply_recipe(model, arguments.learning_rate, arguments.momentum)
    return model, trainable


def average(ranks, names):
    for name in names:
        mean = np.mean([rank.constants[name] for rank in ranks], axis=0)
        for rank in ranks:
            rank.constants[name] = mean.copy()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--every", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--save", required=True)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=0.1)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--clip-norm", type=float, help="the largest norm of a rank's gradients together")
    arguments = parser.parse_args()
    model, trainable = load(arguments)
    ranks = [reference_training.Program(model, np.float64, arguments.clip_norm) for _ in range(arguments.ranks)]
    names = [name for name in ranks[0].updates if name in trainable]
    batches = reference_training.batches(arguments.dataset, arguments.batch, arguments.steps, np.float64)
    for step, batch in enumerate(batches, start=1):
        for number, rank in enumerate(ranks):
            rank.step({name: array[number::arguments.ranks] for name, array in batch.items()})
        if step % arguments.every == 0:
            average(ranks, names)
    average(ranks, names)
    variables = {name: ranks[0].constants[name].astype(np.float32) for name in names}
    if arguments.every > 1:
        variables["local_sgd.step"] = np.array(arguments.steps, dtype=np.int64)
    write_checkpoint(arguments.save, variables)


if __name__ == "__main__":
    main()
