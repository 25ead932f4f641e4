"""Times one training step of eight embedding tables and a small network (one thread a rank) here and in PyTorch, with the
gradients of the tables as rows and as whole tables.

Contestants take turns in one run, so that drift of the machine meets all of them. A step's time is what rank 0 sees between two
steps, data included. Each figure is the median over rounds of the median over steps.
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
    def __init__(self, dist_run, folder, ranks, sparse):
        self.name, self.ranks, self.sparse = f"Tutti, sparse={'rows' if sparse else 'dense'}", ranks, sparse
        self.dist_run, self.folder = dist_run, folder

    def seconds_per_step(self, steps):
        metrics = self.folder / "metrics.jsonl"
        recipe = (f"loss=softmax-cross-entropy optimizer=sgd learning-rate={workload.LEARNING_RATE} "
                  f"global-batch={workload.GLOBAL_BATCH}")
        command = [self.dist_run, "-n", str(self.ranks), self.folder / "embedding.onnx", f"--train={recipe}", "--dataset",
                   self.folder / "embedding.npz", "--steps", str(steps), "--threads", "1", "--metrics", metrics,
                   f"--distribute=sparse={'rows' if self.sparse else 'dense'}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return median_after_warm_up([workload.GLOBAL_BATCH / line["samples_per_second"] for line in lines])


class Torch:
    def __init__(self, ranks, sparse):
        self.name = f"PyTorch DDP, Gloo, {'sparse' if sparse else 'dense'} gradients"
        self.ranks, self.sparse = ranks, sparse

    def seconds_per_step(self, steps):
        command = [sys.executable, HERE / "torch_step.py", "--ranks", str(self.ranks), "--steps", str(steps)]
        command += ["--sparse"] if self.sparse else []
        output = subprocess.run(command, check=True, capture_output=True, text=True, env=torch_environment())
        return median_after_warm_up(json.loads(output.stdout)["seconds"])


def table(figures):
    lines = ["| contestant | step, ms (median) | range over rounds, ms |", "| --- | --- | --- |"]
    for contestant, seconds in figures.items():
        rounds = [1e3 * value for value in seconds]
        lines.append(f"| {contestant.name} | {statistics.median(rounds):.2f} | {min(rounds):.2f} – {max(rounds):.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-run", required=True, type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=120)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        workload.write(folder)
        contestants = [kind for sparse in (True, False)
                       for kind in (Tutti(arguments.dist_run.resolve(), folder, arguments.ranks, sparse),
                                    Torch(arguments.ranks, sparse))]
        figures = {contestant: [] for contestant in contestants}
        for _ in range(arguments.rounds):
            for contestant in contestants:
                figures[contestant].append(contestant.seconds_per_step(arguments.steps))
    print(table(figures))


if __name__ == "__main__":
    main()
