"""Times one training step of the DLRM of docs/examples/recommendation (f32, Adagrad, one thread a process): tables on servers and
tables whose rows are reduced here, and PyTorch's hybrid, tables divided over the ranks with all_to_all over Gloo.

    run.py --dist-run FILE [--table NAME=ROWS[xHOT]]... [--batch 1024] [--workers 2] [--servers 1 2] [--rounds 3] [--steps 80]

Contestants start from the same weights, see the same samples and take turns in one run, so that drift of the machine meets all of them.
A step's time is what rank 0 sees from one step to the next, data included; a figure is the median over rounds of the median over steps,
without the first 20. Beside it stands the best step of all rounds, which other work on the machine changes least. The losses of the first ten steps are compared: a contestant that computes something else is no peer.
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
EXAMPLE = HERE.parents[2] / "docs" / "examples" / "recommendation"
sys.path.insert(0, str(HERE.parent))
from torch_environment import torch_environment  # noqa: E402
WARM_UP_STEPS, COMPARED_STEPS = 20, 10
LEARNING_RATE = 0.01
TABLES = ["user=1000000", "item=200000", "shop=50000", "tags=20000x4", "category=1000", "device=20"]


class Tutti:
    def __init__(self, name, distribute, ranks):
        self.name, self.distribute, self.ranks = name, distribute, ranks

    def run(self, folder, options):
        metrics = folder / "metrics.jsonl"
        recipe = f"loss=bce-with-logits optimizer=adagrad learning-rate={LEARNING_RATE} global-batch={options.batch}"
        command = [options.dist_run, folder / "dlrm.onnx", f"--train={recipe}", "--dataset", folder / "train.npz", "--shuffle=false",
                   "--steps", str(options.steps), "--threads", "1", "--metrics", metrics, f"--distribute={self.distribute}", *self.ranks]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                       env=dict(os.environ, TUTTI_CACHE_DIR=str(folder / "cache")))
        lines = [line for line in map(json.loads, metrics.read_text().splitlines()) if "loss" in line]
        return [options.batch / line["samples_per_second"] for line in lines], [line["loss"] for line in lines]


class Torch:
    name = "PyTorch, tables divided, all_to_all over Gloo"

    def run(self, folder, options):
        command = [sys.executable, HERE / "torch_step.py", folder, "--ranks", options.workers, "--steps", options.steps, "--batch",
                   options.batch, "--width", options.width, "--learning-rate", LEARNING_RATE]
        output = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True,
                                env=torch_environment(tuned=True))
        told = json.loads(output.stdout)
        return told["seconds"], told["loss"]


def make_contestants(options):
    served = [Tutti(f"Tutti, tables on {count} server{'s' if count > 1 else ''}", "serve=auto serve-min-bytes=1",
                    ["--local-cluster", f"ps={count},worker={options.workers}"]) for count in options.servers]
    return [*served, Tutti("Tutti, sparse=rows", "sparse=rows", ["-n", str(options.workers)]), Torch()]


def write_workload(folder, options):
    tables = [word for table in options.table or TABLES for word in ("--table", table)]
    samples = str(options.batch * max(options.steps, WARM_UP_STEPS))
    subprocess.run([sys.executable, EXAMPLE / "click_data.py", folder, "--train", samples, "--test", "100", "--dense", "13", *tables],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, EXAMPLE / "click_models.py", folder / "features.json", "dlrm", folder / "dlrm.onnx", "--width",
                    str(options.width), "--weights", "beside"], check=True, stdout=sys.stderr)


def check_losses(losses):
    for own in losses.values():
        for value, other in zip(own[:COMPARED_STEPS], next(iter(losses.values()))):
            if abs(value - other) > 1e-3 * abs(other):
                sys.exit(f"the losses differ: { {c.name: loss[:COMPARED_STEPS] for c, loss in losses.items()} }")


def print_table(figures):
    print("| contestant | step, ms (median) | range over rounds, ms | best step, ms | faster than PyTorch by: median, best |\n"
          "| --- | --- | --- | --- | --- |")
    rows = {contestant: (statistics.median(medians := [statistics.median(steps) for steps in rounds]), min(medians), max(medians),
                         min(map(min, rounds))) for contestant, rounds in figures.items()}
    peer = next(row for contestant, row in rows.items() if isinstance(contestant, Torch))
    for contestant, (median, least, most, best) in rows.items():
        ratio = "" if isinstance(contestant, Torch) else f"{peer[0] / median:.2f} x, {peer[3] / best:.2f} x"
        print(f"| {contestant.name} | {1e3 * median:.2f} | {1e3 * least:.2f} – {1e3 * most:.2f} | {1e3 * best:.2f} | {ratio} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-run", required=True, type=pathlib.Path)
    parser.add_argument("--table", action="append", help=f"instead of {' '.join(TABLES)}")
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--batch", type=int, default=1024, help="samples of a step of all workers")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--servers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=80)
    options = parser.parse_args()
    if options.steps <= WARM_UP_STEPS:
        parser.error(f"--steps must be more than the {WARM_UP_STEPS} of the warm-up")
    options.dist_run = options.dist_run.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder, contestants, losses = pathlib.Path(name), make_contestants(options), {}
        write_workload(folder, options)
        figures = {contestant: [] for contestant in contestants}
        for _ in range(options.rounds):
            for contestant in contestants:
                seconds, losses[contestant] = contestant.run(folder, options)
                figures[contestant].append(seconds[WARM_UP_STEPS:])
        check_losses(losses)
    print_table(figures)


if __name__ == "__main__":
    main()
