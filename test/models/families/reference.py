#!/usr/bin/python3
"""Trains the families with PyTorch and records the losses in expected/FAMILY_SIZE.json. By hand, where PyTorch is installed.

    reference.py [FAMILY_SIZE ...] [--data FOLDER]        (default: the tiny and small size of each family)

Weights and samples are those of make_families.py. The loss of a step is that before its update; step s takes samples
[s * batch, (s + 1) * batch). Losses are computed in f64; f32_relative_error says how far those of f32 stray from them. Before
it trains, it demands that the loss of the ONNX graph, by evaluator.py and where the onnx package has it by its
ReferenceEvaluator, agrees to 1e-5. --data keeps the samples as FOLDER/FAMILY_SIZE.npz.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import json
import os
import sys

import numpy as np
import torch

import make_families
import synthetic_data
import torch_models
from evaluator import Evaluator

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH, STEPS = 8, 20

# Of each optimizer: PyTorch's constructor, its arguments but for the learning rate, and the same as keys of --train.
OPTIMIZERS = {
    "sgd": (torch.optim.SGD, {}, ""),
    "momentum": (torch.optim.SGD, {"momentum": 0.9}, " momentum=0.9"),
    "adagrad": (torch.optim.Adagrad, {}, ""),
    "adam": (torch.optim.Adam, {}, ""),
    "adamw": (torch.optim.AdamW, {"weight_decay": 0.1}, " weight-decay=0.1"),
}
RATES = {"sgd": 0.05, "momentum": 0.01, "adagrad": 0.005, "adam": 0.001, "adamw": 0.001}
# So low that f32 and f64 stay together: at higher ones each kink of Relu that they see differently is amplified.
RESNET_RATES = {"sgd": 0.003, "momentum": 0.0003, "adagrad": 0.0001, "adam": 0.0001, "adamw": 0.0001}


class Model:
    """One family in one size: its weights, its samples and its loss in PyTorch."""

    def __init__(self, family, size, words=()):
        module = make_families.FAMILIES[family]
        self.size, self.flags = module.SIZES[size], make_families.parse_flags(family, words)
        self.rates = RESNET_RATES if family == "resnet" else RATES
        self.loss = torch_models.LOSSES[family]
        self.writer = make_families.build(family, size, words)
        self.samples = synthetic_data.make(family, self.size, self.flags, BATCH * STEPS)

    def parameters(self, dtype):
        """The trainable ones: running statistics are no parameters."""
        return {w.name: torch.from_numpy(w.make()).to(dtype).requires_grad_() for w in self.writer.parameters()
                if not w.name.endswith((".running_mean", ".running_var"))}

    def batch(self, step, dtype):
        part = {name: torch.from_numpy(array[step * BATCH:(step + 1) * BATCH]) for name, array in self.samples.items()}
        return {name: x.to(dtype) if x.is_floating_point() else x for name, x in part.items()}

    def train(self, optimizer, dtype):
        """The losses of all steps."""
        make, arguments, _ = OPTIMIZERS[optimizer]
        parameters = self.parameters(dtype)
        updates, losses = make(list(parameters.values()), lr=self.rates[optimizer], **arguments), []
        for step in range(STEPS):
            updates.zero_grad()
            loss = self.loss(parameters, self.size, self.flags, **self.batch(step, dtype))
            loss.backward()
            updates.step()
            losses.append(loss.item())
        return np.array(losses)


def graph_losses(model, name):
    """The loss of the first batch by each evaluator of ONNX graphs that is there."""
    proto = model.writer.model(name)
    feeds = {key: array[:BATCH] for key, array in model.samples.items()}
    yield "evaluator.py", float(Evaluator(proto).run(feeds)["loss"])
    try:
        from onnx.reference import ReferenceEvaluator
    except ImportError:
        return
    yield "onnx.reference", float(ReferenceEvaluator(proto).run(["loss"], feeds)[0])


def check_forward(model, name):
    loss = model.loss(model.parameters(torch.float64), model.size, model.flags, **model.batch(0, torch.float64)).item()
    for evaluator, other in graph_losses(model, name):
        if not abs(other - loss) <= 1e-5 * abs(loss):
            raise SystemExit(f"{name}: the loss is {loss} by PyTorch and {other} by {evaluator}")
        print(f"{name}: {evaluator} differs by {abs(other - loss) / abs(loss):.1e}")


def record(family, size, model):
    """What is committed: how to train, the losses, and how far f32 strays from them."""
    runs = {}
    for optimizer, (_, _, keys) in OPTIMIZERS.items():
        losses, single = model.train(optimizer, torch.float64), model.train(optimizer, torch.float32)
        stray = float(np.max(np.abs(losses - single) / losses))
        recipe = f"loss=output optimizer={optimizer} learning-rate={model.rates[optimizer]}{keys}"
        runs[optimizer] = {"train": recipe,
                           "f32_relative_error": float(f"{stray:.1e}"), "loss": [float(f"{x:.9g}") for x in losses]}
        print(f"{family}_{size} {optimizer}: {losses[0]:.5f} -> {losses[-1]:.5f}, f32 strays by {stray:.1e}", flush=True)
    return {"family": family, "size": size, "flags": model.flags, "global_batch": BATCH, "steps": STEPS,
            "order": "file order, no shuffling", "runs": runs}


def main():
    names = [f"{family}_{size}" for size in ("tiny", "small") for family in make_families.FAMILIES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="FAMILY_SIZE", default=names)
    parser.add_argument("--data", help="folder for the samples")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    for name in arguments.models:
        family, size = name.split("_")
        model = Model(family, size)
        check_forward(model, name)
        if arguments.data:
            np.savez(os.path.join(arguments.data, name + ".npz"), **model.samples)
        result = record(family, size, model)
        with open(os.path.join(HERE, "expected", name + ".json"), "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
