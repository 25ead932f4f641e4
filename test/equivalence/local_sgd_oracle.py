"""Simulates ranks that train on their own and average their variables every few steps, in numpy; or that take a step of an
outer optimizer then, SGD with Nesterov's momentum on how far they have come (DiLoCo).

    local_sgd_oracle.py MODEL.onnx --ranks N --every H --steps S --dataset F.npz --save F.safetensors [--batch 64]
        [--learning-rate 0.1] [--momentum 0.9] [--clip-norm C]
        [--outer-rate R --outer-momentum M]

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


class Outer:
    """The outer optimizer, as torch.optim.SGD(nesterov=True) of the gradients start - now, averaged over ranks."""

    def __init__(self, rank, names, rate, momentum):
        self.start = {name: rank.constants[name].copy() for name in names}
        self.velocity = {name: np.zeros_like(rank.constants[name]) for name in names}
        self.rate, self.momentum = rate, momentum

    def step(self, ranks, names):
        for name in names:
            gradient = np.mean([self.start[name] - rank.constants[name] for rank in ranks], axis=0)
            self.velocity[name] = self.momentum * self.velocity[name] + gradient
            self.start[name] = self.start[name] - self.rate * (gradient + self.momentum * self.velocity[name])
            for rank in ranks:
                rank.constants[name] = self.start[name].copy()

    def states(self, names):
        return {f"{name}.diloco_{kind}": held[name].astype(np.float32) for name in names
                for kind, held in (("start", self.start), ("velocity", self.velocity))}


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
    parser.add_argument("--outer-rate", type=float)
    parser.add_argument("--outer-momentum", type=float, default=0)
    arguments = parser.parse_args()
    model, trainable = load(arguments)
    ranks = [reference_training.Program(model, np.float64, arguments.clip_norm) for _ in range(arguments.ranks)]
    names = [name for name in ranks[0].updates if name in trainable]
    outer = Outer(ranks[0], names, arguments.outer_rate, arguments.outer_momentum) if arguments.outer_rate else None
    batches = reference_training.batches(arguments.dataset, arguments.batch, arguments.steps, np.float64)
    for step, batch in enumerate(batches, start=1):
        for number, rank in enumerate(ranks):
            rank.step({name: array[number::arguments.ranks] for name, array in batch.items()})
        if step % arguments.every == 0:
            outer.step(ranks, names) if outer else average(ranks, names)
    average(ranks, names)
    variables = {name: ranks[0].constants[name].astype(np.float32) for name in names}
    variables.update(outer.states(names) if outer else {})
    if arguments.every > 1:
        variables["diloco.step" if outer else "local_sgd.step"] = np.array(arguments.steps, dtype=np.int64)
    write_checkpoint(arguments.save, variables)


if __name__ == "__main__":
    main()
