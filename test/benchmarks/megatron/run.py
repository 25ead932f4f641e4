#!/usr/bin/python3
"""Times a step of Llama (test/models/families) that ranks share, here and by PyTorch as Megatron-LM divides it, over Gloo.

    run.py --dist-run FILE [--size full] [--meshes 1x2 2x2] [--rounds 3] [--steps 4] [--batch 4]

Contestants start from the same weights, see the same samples and take turns in one run, one thread a rank. A figure is the median over
rounds of the median over steps, without the first. The losses of all steps are compared: a contestant that computes something else is no peer.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from torch_environment import torch_environment  # noqa: E402
FAMILIES = HERE.parents[1] / "models" / "families"
LEARNING_RATE = 0.0001
TOLERANCE = 1e-4


def call(command, environment):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, env=environment, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Tutti:
    def __init__(self, mesh, backend, keys=""):
        self.mesh, self.backend, self.keys = mesh, backend, keys
        self.name = f"Tutti, {backend}" + (f", {keys}" if keys else "")

    def run(self, arguments, folder, model):
        groups, neighbours = self.mesh
        metrics = folder / "metrics.jsonl"
        recipe = f"loss=output optimizer=adamw weight-decay=0.01 learning-rate={LEARNING_RATE} global-batch={arguments.batch}"
        call([arguments.dist_run, "-n", groups * neighbours, model.with_suffix(".onnx"), f"--train={recipe}", "--backend", self.backend,
              f"--distribute=mesh=dp:{groups},tp:{neighbours} {self.keys}", "--dataset", model.with_suffix(".npz"), "--shuffle=false",
              "--steps", arguments.steps, "--threads", "1", "--metrics", metrics],
             dict(os.environ, TUTTI_CACHE_DIR=str(folder / "cache")))
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return [arguments.batch / line["samples_per_second"] for line in lines], [line["loss"] for line in lines]


class Torch:
    name = "PyTorch as Megatron-LM, Gloo"

    def __init__(self, mesh):
        self.mesh = mesh

    def run(self, arguments, folder, model):
        told = json.loads(call([sys.executable, HERE / "torch_step.py", arguments.size, model.with_suffix(".npz"), "--groups", self.mesh[0],
                                "--neighbours", self.mesh[1], "--steps", arguments.steps, "--batch", arguments.batch,
                                "--learning-rate", LEARNING_RATE], torch_environment(tuned=True)))
        return told["seconds"], told["loss"]


def compare(arguments, folder, model, mesh):
    contestants = [Tutti(mesh, "shm"), Tutti(mesh, "shm", "sequence"), Tutti(mesh, "gloo"), Torch(mesh)]
    seconds, losses = {c: [] for c in contestants}, {}
    for _ in range(arguments.rounds):
        for contestant in contestants:
            times, losses[contestant] = contestant.run(arguments, folder, model)
            seconds[contestant].append(statistics.median(times[1:]))
    peer = statistics.median(seconds[contestants[-1]])
    for contestant in contestants:
        median = statistics.median(seconds[contestant])
        difference = max(abs(a - b) for a, b in zip(losses[contestant], losses[contestants[-1]]))
        print(f"| {mesh[0]} x {mesh[1]} | {contestant.name} | {1e3 * median:.0f} | {1e3 * min(seconds[contestant]):.0f} – "
              f"{1e3 * max(seconds[contestant]):.0f} | {peer / median:.2f} x | {difference:.1e} |", flush=True)
        if difference > TOLERANCE * abs(losses[contestant][0]):
            sys.exit(f"the losses of {contestant.name} differ from those of the peer: {losses[contestant]}, {losses[contestants[-1]]}")


def read_mesh(text):
    groups, neighbours = text.split("x")
    return int(groups), int(neighbours)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-run", required=True, type=pathlib.Path)
    parser.add_argument("--size", default="full")
    parser.add_argument("--meshes", nargs="+", type=read_mesh, default=[(1, 2), (2, 2)], metavar="GROUPSxNEIGHBOURS")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--batch", type=int, default=4)
    arguments = parser.parse_args()
    arguments.dist_run = arguments.dist_run.resolve()
    print("| mesh, dp x tp | contestant | step, ms (median) | range over rounds, ms | faster than the peer by | largest difference of a loss |\n"
          "| --- | --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "llama"
        subprocess.run([sys.executable, FAMILIES / "make_families.py", "llama", arguments.size, model.with_suffix(".onnx"), "--data",
                        model.with_suffix(".npz"), "--samples", str(2 * arguments.batch), "--weights", "beside"], check=True)
        for mesh in arguments.meshes:
            compare(arguments, folder, model, mesh)


if __name__ == "__main__":
    main()
