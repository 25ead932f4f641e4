"""Times one training step of the model families (test/models/families), f32, one thread a rank, here and in PyTorch.

    run.py --dist-run FILE [--families resnet bert] [--size full] [--rounds 3] [--steps 4]

Contestants start from the same weights, see the same samples and take turns in one run, so that drift of the machine meets
all of them. A step's time is what rank 0 sees from one step to the next, data included. A figure is the median over rounds of
the median over steps, without the first; beside it stands the best step of all rounds, which other guests of the host that take its
processors away (steal, which is told too) change least. Memory is the largest resident set among the processes of a run. The loss of the
first step is compared, too: a contestant that computes something else is no peer.
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
WARM_UP_STEPS = 1
# Samples of one step of all ranks, and how people train such a network.
WORK = {
    "resnet": {"tiny": 64, "small": 64, "full": 8, "optimizer": "momentum", "keys": " momentum=0.9"},
    "bert": {"tiny": 64, "small": 64, "full": 8, "optimizer": "adamw", "keys": " weight-decay=0.01"},
    "gpt2": {"tiny": 64, "small": 64, "full": 4, "long": 2, "optimizer": "adamw", "keys": " weight-decay=0.01"},
    "dlrm": {"tiny": 256, "small": 256, "full": 256, "optimizer": "sgd", "keys": ""},
    "llama": {"tiny": 64, "small": 64, "full": 4, "optimizer": "adamw", "keys": " weight-decay=0.01"},
}
LEARNING_RATE = 0.0001


class Model:
    """The files of a family."""

    def __init__(self, family, size, folder):
        self.family, self.size = family, size
        self.batch, self.optimizer, self.keys = (WORK[family][key] for key in (size, "optimizer", "keys"))
        self.file, self.data = folder / f"{family}.onnx", folder / f"{family}.npz"
        subprocess.run([sys.executable, FAMILIES / "make_families.py", family, size, self.file, "--data", self.data,
                        "--samples", str(2 * self.batch), "--weights", "beside"], check=True)


class Run:
    """What a contestant told: seconds of the steps, and the first loss."""

    def __init__(self, seconds, loss, peak_bytes):
        self.seconds, self.best = statistics.median(seconds[WARM_UP_STEPS:]), min(seconds[WARM_UP_STEPS:])
        self.loss, self.peak_bytes = loss, peak_bytes


def processor_ticks():
    """Of all processors since the machine started: what others took, and all."""
    ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return ticks[7], sum(ticks)


def call(command, environment):
    """The standard output, and the largest resident set of the program and of those that it started."""
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, env=environment, text=True) as program:
        output = program.stdout.read()
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode != 0:
        sys.exit(f"{command[0]} ended with {program.returncode}:\n{output}")
    return output, usage.ru_maxrss * 1024


class Tutti:
    name = "Tutti"

    def __init__(self, dist_run, folder, ranks, compute=None):
        self.dist_run, self.folder, self.ranks = dist_run, folder, ranks
        self.extra = f" compute={compute}" if compute else ""
        if compute:
            self.name += f", {compute}"

    def run(self, model, steps):
        metrics = self.folder / "metrics.jsonl"
        recipe = (f"loss=output optimizer={model.optimizer} learning-rate={LEARNING_RATE}{model.keys} "
                  f"global-batch={model.batch}{self.extra}")
        command = [self.dist_run, "-n", self.ranks, model.file, f"--train={recipe}", "--dataset", model.data, "--shuffle=false",
                   "--steps", steps, "--threads", "1", "--metrics", metrics]
        _, peak = call(command, dict(os.environ, TUTTI_CACHE_DIR=str(self.folder / "cache")))
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return Run([model.batch / line["samples_per_second"] for line in lines], lines[0]["loss"], peak)


class Torch:
    def __init__(self, ranks, tuned, sparse=False):
        self.ranks, self.tuned, self.sparse = ranks, tuned, sparse
        self.name = "PyTorch eager" if ranks == 1 else "PyTorch DDP, Gloo"
        self.name += (", tuned" if tuned else "") + (", sparse gradients" if sparse else "")

    def run(self, model, steps):
        command = [sys.executable, HERE / "torch_step.py", model.family, model.size, model.data, "--ranks", self.ranks,
                   "--steps", steps, "--batch", model.batch, "--optimizer", model.optimizer, "--learning-rate", LEARNING_RATE]
        command += ["--sparse"] if self.sparse else []
        output, peak = call(command, torch_environment(self.tuned))
        told = json.loads(output)
        return Run(told["seconds"], told["loss"][0], peak)


def lines_of(model, contestants, figures):
    """Rows of the table: how long a step takes, and by how much Tutti's f32 is faster with as many ranks."""
    best = {c: min(run.best for run in figures[c]) for c in contestants}
    ours = {c.ranks: (statistics.median(run.seconds for run in figures[c]), best[c]) for c in contestants if c.name == "Tutti"}
    for contestant in contestants:
        seconds = [run.seconds for run in figures[contestant]]
        median = statistics.median(seconds)
        own_median, own_best = ours[contestant.ranks]
        ratio = "" if contestant.name == "Tutti" else f"{median / own_median:.2f} x, {best[contestant] / own_best:.2f} x"
        gigabytes = max(run.peak_bytes for run in figures[contestant]) / 1e9
        yield (f"| {model.family} {model.size} | {contestant.ranks} | {contestant.name} | {1e3 * median:.1f} | "
               f"{1e3 * min(seconds):.1f} – {1e3 * max(seconds):.1f} | {1e3 * best[contestant]:.1f} | {ratio} | {gigabytes:.2f} | "
               f"{figures[contestant][0].loss:.5f} |")


def check_losses(model, contestants, figures):
    """On one rank the first losses are of the same samples and weights, so that they are the same."""
    alone = {c.name: figures[c][0].loss for c in contestants if c.ranks == 1 and not c.name.startswith("Tutti, ")}
    if max(alone.values()) - min(alone.values()) > 1e-4 * abs(max(alone.values())):
        sys.exit(f"{model.family} {model.size}: the losses of the first step differ: {alone}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-run", required=True, type=pathlib.Path)
    parser.add_argument("--families", nargs="+", choices=WORK, default=list(WORK))
    parser.add_argument("--size", default="full")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--compute", help="a further contestant that computes in bf16 or f16")
    parser.add_argument("--only-tuned", action="store_true", help="without PyTorch as it is installed")
    arguments = parser.parse_args()
    for family in arguments.families:
        if arguments.size not in WORK[family]:
            parser.error(f"{family} has no size {arguments.size}; give --families those that have it")
    print("| model | ranks | contestant | step, ms (median) | range over rounds, ms | best step, ms | Tutti is faster by: "
          "median, best | memory of a rank, GB | first loss |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    stolen, all_ticks = processor_ticks()
    for family in arguments.families:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            model, contestants = Model(family, arguments.size, folder), []
            for ranks in arguments.ranks:
                contestants.append(Tutti(arguments.dist_run.resolve(), folder, ranks))
                if arguments.compute:
                    contestants.append(Tutti(arguments.dist_run.resolve(), folder, ranks, arguments.compute))
                contestants += [] if arguments.only_tuned else [Torch(ranks, tuned=False)]
                contestants.append(Torch(ranks, tuned=True))
                contestants += [Torch(ranks, tuned=True, sparse=True)] if family == "dlrm" else []
            figures = {contestant: [] for contestant in contestants}
            for _ in range(arguments.rounds):
                for contestant in contestants:
                    figures[contestant].append(contestant.run(model, arguments.steps))
            for line in lines_of(model, contestants, figures):
                print(line, flush=True)
            check_losses(model, contestants, figures)
    stolen, all_ticks = (now - then for now, then in zip(processor_ticks(), (stolen, all_ticks)))
    print(f"\nOther guests of the host took {100 * stolen / all_ticks:.0f} % of the processors meanwhile.")


if __name__ == "__main__":
    main()
