"""Times training steps within less memory: values that are computed again (dist-run --memory), beside the step as it is.

    run.py --programs FOLDER [--families resnet bert gpt2] [--size small] [--shares 0.85 0.5] [--rounds 3] [--steps 20]

A share says how much of the memory for the values of a step is left; where a model needs more, it gets the least that it runs in. All
ways take turns in one run, on one rank and one thread. A figure is the median over rounds of the median over steps, without the first two.
Times are predicted by the cost model, with a cluster file that this run measures for each model. The losses of all ways must be the same bits.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FAMILIES = HERE.parents[1] / "models" / "families"
WARM_UP_STEPS = 2
BATCHES = {"resnet": 32, "bert": 64, "gpt2": 64}
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class Model:
    """A family's files, and how it is trained."""

    def __init__(self, programs, family, size, batch, folder):
        self.programs, self.name, self.batch, self.folder = programs, f"{family} {size}", batch, folder
        self.file, self.data = folder / f"{family}.onnx", folder / f"{family}.npz"
        subprocess.run([sys.executable, FAMILIES / "make_families.py", family, size, self.file, "--data", self.data,
                        "--samples", str(2 * batch), "--weights", "beside"], check=True)

    def call(self, memory, *words):
        recipe = f"loss=output optimizer=adamw learning-rate=0.0001 global-batch={self.batch}"
        command = [self.programs / "dist-run", "-n", "1", self.file, f"--train={recipe}", "--dataset", self.data, "--threads", "1",
                   "--shuffle=false", *words]
        command += [f"--memory={memory}"] if memory else []
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)

    def describe(self, memory, cluster):
        """What a dry run says: all bytes, those of values, operations that run again, and predicted milliseconds."""
        ran = self.call(memory, "--dry-run", "--steps", "1", "--cluster", cluster)
        if ran.returncode != 0:
            return None, ran.stderr
        sizes = re.search(r"memory\s+([\d.,]+) (\w+) of a rank at most, ([\d.,]+) (\w+) of it values", ran.stdout)
        everything, values = (float(sizes[i].replace(",", "")) * UNITS[sizes[i + 1]] for i in (1, 3))
        again = re.search(r"([\d,]+) operations? of a step runs? again", ran.stdout)
        predicted = re.search(r"step time\s+([\d.,]+) (\w+) predicted", ran.stdout)
        milliseconds = float(predicted[1].replace(",", "")) * {"us": 1e-3, "ms": 1, "s": 1e3}[predicted[2]]
        return (everything, values, int(again[1].replace(",", "")) if again else 0, milliseconds), ""

    def measure(self, memory, steps):
        metrics = self.folder / "metrics.jsonl"
        ran = self.call(memory, "--steps", steps, "--metrics", metrics)
        if ran.returncode != 0:
            sys.exit(ran.stderr)
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        seconds = statistics.median(self.batch / line["samples_per_second"] for line in lines[WARM_UP_STEPS:])
        return 1e3 * seconds, [line["loss"] for line in lines]


def limits_of(model, shares, cluster):
    """For each share the limit, and what a dry run says of it. The first one is without a limit."""
    whole, complaint = model.describe(0, cluster)
    if not whole:
        sys.exit(complaint)
    ways = [(0, whole)]
    for share in shares:
        limit = int(whole[0] - (1 - share) * whole[1])
        described, complaint = model.describe(limit, cluster)
        if not described:
            needed, given = map(int, re.search(r"needs (\d+) bytes for temporary buffers, and (\d+) are given", complaint).groups())
            limit += needed - given
            described, complaint = model.describe(limit, cluster)
        if not described:
            sys.exit(complaint)
        ways.append((limit, described))
    return ways


def compare(model, arguments, cluster):
    ways = limits_of(model, arguments.shares, cluster)
    times, losses = [[] for _ in ways], set()
    for _ in range(arguments.rounds):
        for (limit, _), found in zip(ways, times):
            milliseconds, numbers = model.measure(limit, arguments.steps)
            found.append(milliseconds)
            losses.add(tuple(numbers))
    if len(losses) != 1:
        sys.exit(f"{model.name}: less memory gives other losses")
    alone, whole = statistics.median(times[0]), ways[0][1]
    for (_, (_, values, again, predicted)), found in zip(ways, times):
        measured = statistics.median(found)
        print(f"| {model.name} | {values / 2**20:.1f} | {values / whole[1]:.2f} | {again} | {measured:.1f} | {measured / alone:.3f} | "
              f"{predicted:.1f} | {predicted / whole[3]:.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder of dist-run")
    parser.add_argument("--families", nargs="+", default=list(BATCHES), choices=list(BATCHES))
    parser.add_argument("--size", default="small")
    parser.add_argument("--batch", type=int, help="(default: that of each family)")
    parser.add_argument("--shares", type=float, nargs="+", default=[0.85, 0.5])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20)
    arguments = parser.parse_args()
    programs = arguments.programs.resolve()
    print("| model | MiB of values | share | operations again | ms a step | ratio | predicted ms | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        cluster = pathlib.Path(folder) / "cluster.json"
        for family in arguments.families:
            subprocess.run([programs / "dist-run", "-n", "1", "--calibrate", cluster], check=True, capture_output=True)
            compare(Model(programs, family, arguments.size, arguments.batch or BATCHES[family], pathlib.Path(folder)), arguments, cluster)


if __name__ == "__main__":
    main()
