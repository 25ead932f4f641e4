#!/usr/bin/python3
"""Holds the exponential means of a run against numpy, bit for bit.

    check_means.py DECAY MEANS.safetensors STEP1.safetensors STEP2.safetensors ... --initial MODEL.onnx

MEANS has for each trained variable `w` the mean `w.ema` after as many steps as there are files of weights; each STEP has the weights after
that step of the same run without means. A mean begins as the initializer of the model.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import sys

import numpy
from onnx import load, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("decay", type=float)
    parser.add_argument("means")
    parser.add_argument("steps", nargs="+")
    parser.add_argument("--initial", required=True)
    arguments = parser.parse_args()
    means = read_checkpoint(arguments.means)
    initial = {tensor.name: numpy_helper.to_array(tensor) for tensor in load(arguments.initial).graph.initializer}
    steps = [read_checkpoint(path) for path in arguments.steps]
    kept, taken = numpy.float32(arguments.decay), numpy.float32(1 - arguments.decay)
    names = [name[:-len(".ema")] for name in means if name.endswith(".ema")]
    if not names:
        sys.exit(f"{arguments.means}: no variable has a mean")
    for name in names:
        mean = initial[name]
        for step in steps:
            mean = kept * mean + taken * step[name]
        if not numpy.array_equal(mean, means[name + ".ema"]):
            sys.exit(f"the mean of {name} differs by up to {numpy.abs(mean - means[name + '.ema']).max()}")
        if not numpy.array_equal(steps[-1][name], means[name]):
            sys.exit(f"{name} is another than without means")
    print(f"{len(names)} means are right")


if __name__ == "__main__":
    main()
