"""Times one training step of an MLP 784-512-512-10 (global batch 256, f32, one thread a rank) here and in PyTorch.

Contestants take turns in one run, so that drift of the machine meets all of them. A step's time is what rank 0
sees between two steps, data included. Each figure is the median over rounds of the median over steps.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import workload

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from torch_environment import torch_environment  # noqa: E402
WARM_UP_STEPS = 20


def median_after_warm_up(seconds):
    return statistics.median(seconds[WARM_UP_STEPS:])


class Tutti:
    def __init__(self, dist_run, folder, ranks):
        self.name, self.ranks = "Tutti", ranks
        self.dist_run, self.folder = dist_run, folder
        self.model, self.dataset = workload.write(folder)

    def seconds_per_step(self, steps):
        metrics = self.folder / "metrics.jsonl"
        recipe = (f"loss=softmax-cross-entropy optimizer=sgd learning-rate={workload.LEARNING_RATE} "
                  f"global-batch={workload.GLOBAL_BATCH}")
        command = [self.dist_run, "-n", str(self.ranks), self.model, f"--train={recipe}", "--dataset",
                   self.dataset, "--steps", str(steps), "--threads", "1", "--metrics", metrics]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return median_after_warm_up([workload.GLOBAL_BATCH / line["samples_per_second"] for line in lines])


class Torch:
    def __init__(self, ranks, tuned):
        self.ranks, self.tuned = ranks, tuned
        self.name = "PyTorch eager" if ranks == 1 else "PyTorch DDP, Gloo"
        self.name += ", tuned" if tuned else ""

    def seconds_per_step(self, steps):
        command = [sys.executable, HERE / "torch_step.py", "--ranks", str(self.ranks), "--steps", str(steps)]
        output = subprocess.run(command, check=True, capture_output=True, text=True, env=torch_environment(self.tuned))
        return median_after_warm_up(json.loads(output.stdout)["seconds"])


def table(contestants, figures):
    lines = ["| ranks | contestant | step, ms (median) | range over rounds, ms | Tutti is faster by |",
             "| --- | --- | --- | --- | --- |"]
    ours = {c.ranks: statistics.median(figures[c]) for c in contestants if c.name == "Tutti"}
    for contestant in contestants:
        rounds = [1e3 * value for value in figures[contestant]]
        ratio = "" if contestant.name == "Tutti" else f"{statistics.median(rounds) / 1e3 / ours[contestant.ranks]:.2f} x"
        lines.append(f"| {contestant.ranks} | {contestant.name} | {statistics.median(rounds):.2f} | "
                     f"{min(rounds):.2f} – {max(rounds):.2f} | {ratio} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-run", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        contestants = []
        for ranks in (1, 2):
            contestants += [Tutti(arguments.dist_run.resolve(), pathlib.Path(folder), ranks),
                            Torch(ranks, tuned=False), Torch(ranks, tuned=True)]
        figures = {contestant: [] for contestant in contestants}
        for _ in range(arguments.rounds):
            for contestant in contestants:
                figures[contestant].append(contestant.seconds_per_step(arguments.steps))
    print(table(contestants, figures))


if __name__ == "__main__":
    main()
