"""Tells how much of the gathers of variables in parts (ZeRO-3) a step waits for, over a link of limited rate and added delay.

    gathers.py --programs BIN [--batches N ...] [--width W] [--layers K] [--rate MBIT] [--delay MS] [--rounds R] [--steps S]

An MLP of K layers of width W on two nodes of one rank, joined by the link of test/network/link.py, with `shard-optimizer=3`, synchronous,
with `overlap=true`, and then with the last two layers kept until the backward pass, which needs them at once. By the trace of rank 0: how
long it computes for as long as it gathers, and the time that the step waits for gathers, of the time that they take. Larger batches compute
longer for the same gathers. Needs root.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

import wide_mlp
from choose import Ranks

WARM_UP_STEPS = 3
OVERLAP = "shard-optimizer=3 overlap=true"
WAYS = {"synchronous": "shard-optimizer=3", "overlap": OVERLAP, "overlap, two layers kept": OVERLAP + " keep-gathered={kept}"}


class Trace:
    """What rank 0 did in the steps after warming up."""

    def __init__(self, path):
        events = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("ph") == "X" and event["pid"] == 0]
        self.steps = {event["args"]["step"]: event["dur"] for event in events if event["cat"] == "step" and event["args"]["step"] > WARM_UP_STEPS}
        self.events = [event for event in events if event.get("args", {}).get("step") in self.steps]

    def per_step(self, chosen):
        return sum(event["dur"] for event in self.events if chosen(event)) / len(self.steps)

    def gathering(self):
        return self.per_step(lambda event: event["cat"] == "collective" and "all_gather" in event["name"])

    def waiting(self):
        """On the thread that computes: for its own gathers, and for those that run alongside."""
        return self.per_step(lambda event: event["tid"] == 0 and event["cat"] in ("collective", "async") and "all_gather" in event["name"])

    def computing(self):
        return self.per_step(lambda event: event["cat"] == "kernel")

    def step(self):
        return statistics.median(self.steps.values())


def train(ranks, program, dataset):
    trace = ranks.folder / "trace.json"
    ranks.run(program, "--dataset", dataset, "--steps", ranks.arguments.steps, "--trace", trace)
    return Trace(trace)


def row(batch, way, traces):
    middle = lambda take: statistics.median(take(trace) for trace in traces) / 1e3  # noqa: E731
    computing, gathering, waiting = middle(Trace.computing), middle(Trace.gathering), middle(Trace.waiting)
    return (f"| {batch} | {way} | {computing / gathering:.2f} x | {gathering:.0f} | {waiting:.0f} | {100 * waiting / gathering:.0f} % | {middle(Trace.step):.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder of dist-opt and dist-run")
    parser.add_argument("--batches", nargs="+", type=int, default=[1024, 2048, 4096], help="global batches")
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--rate", type=float, default=400, help="megabit a second")
    parser.add_argument("--delay", type=float, default=1, help="milliseconds")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=10)
    arguments = parser.parse_args()
    arguments.programs = arguments.programs.resolve()
    arguments.per_node = 1
    print("| global batch | gathers | computing, by gathering | gathering, ms | waited for, ms | of gathering | step, ms (median) |", flush=True)
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model, dataset = wide_mlp.write(folder, arguments.width, arguments.layers)
        kept = 4 * (arguments.width**2 + wide_mlp.CLASSES * arguments.width)
        for batch in arguments.batches:
            traces = {way: [] for way in WAYS}
            for _ in range(arguments.rounds):
                for way, keys in WAYS.items():
                    recipe = f"loss=softmax-cross-entropy optimizer=sgd learning-rate=0.01 global-batch={batch}"
                    program = folder / "program.mlir"
                    subprocess.run([arguments.programs / "dist-opt", model, f"--train={recipe}", f"--distribute={keys.format(kept=kept)}", "-o", program],
                                   check=True)
                    traces[way].append(train(Ranks(arguments, folder), program, dataset))
            for way, those in traces.items():
                print(row(batch, way, those), flush=True)


if __name__ == "__main__":
    main()
