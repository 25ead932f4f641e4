"""Runs a rank in a memory cgroup: what it is planned to take is what the kernel counts, and a limit of that much lets it train.

    memory_in_a_cgroup.py FOLDER [--budgets N] [--batch SAMPLES]

A convolutional network whose activations are most of its memory is trained with N budgets between the least and all that it needs
(dist-run --memory), each in a cgroup whose limit is the plan, what a rank takes beside any plan, and 8 MiB. No rank may be killed,
and the peak of the cgroup may differ from the plan and that rest by 1 % or 2 MiB. Half of the limit must end the rank: else
nothing was limited. The rest (programs, libraries, kernels) is what the run without a budget takes beyond its plan.

Takes cgroups of version 1, or of version 2 with the memory controller; prints "no cgroup" where this user cannot make one.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np

MIB = 2**20
UNITS = {"B": 1 / MIB, "KiB": 1 / 1024, "MiB": 1, "GiB": 1024}
MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"
DATA = pathlib.Path(__file__).resolve().parents[1] / "data"


class Group:
    """A memory cgroup for the ranks of one run; gone at the end."""

    def __init__(self):
        first = pathlib.Path("/sys/fs/cgroup/memory")
        self.is_first = first.exists()
        parent = first if self.is_first else pathlib.Path("/sys/fs/cgroup")
        self.path = parent / f"tutti-test-{os.getpid()}"
        self.path.mkdir()
        self.limit_file, self.peak_file = (("memory.limit_in_bytes", "memory.max_usage_in_bytes") if self.is_first else
                                           ("memory.max", "memory.peak"))
        if not (self.path / self.peak_file).exists():
            self.path.rmdir()
            raise OSError("no memory controller")

    def close(self):
        self.path.rmdir()


def with_group(limit, run):
    """What `run` gives for the folder of a new group, and the peak of that group in MiB."""
    group = Group()
    try:
        if limit:
            (group.path / group.limit_file).write_text(str(int(limit * MIB)))
        result = run(group.path)
        return result, int((group.path / group.peak_file).read_text()) / MIB
    finally:
        group.close()


class Launcher:
    """dist-run whose ranks enter a group: it looks for dist-worker beside itself."""

    def __init__(self, folder):
        self.folder = folder
        real = pathlib.Path(shutil.which("dist-run")).resolve()
        self.program = folder / "bin" / "dist-run"
        self.program.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(real, self.program)
        worker = self.program.with_name("dist-worker")
        worker.write_text(f'#!/bin/sh\n[ -z "$TUTTI_TEST_GROUP" ] || echo $$ > "$TUTTI_TEST_GROUP/cgroup.procs"\nexec {real.with_name("dist-worker")} "$@"\n')
        worker.chmod(0o755)

    def launch(self, group, *arguments):
        environment = dict(os.environ, TUTTI_TEST_GROUP=str(group or ""))
        return subprocess.run([self.program, *arguments], env=environment, capture_output=True, text=True, check=False)


class Trainer(Launcher):
    """Trains a convolutional network."""

    def __init__(self, folder, batch):
        super().__init__(folder)
        self.batch = batch
        with np.load(DATA / "digits_train.npz") as given:
            arrays = {name: np.concatenate([array] * (-(-batch // len(array))))[:batch] for name, array in given.items()}
        np.savez(folder / "data.npz", **arrays)

    def run(self, group, *more):
        return self.launch(group, "-n", "1", MODELS / "digits_cnn.onnx", "--dataset", self.folder / "data.npz", "--steps", "2",
                           f"--train=loss=softmax-cross-entropy optimizer=adam global-batch={self.batch}", *more)


def planned(run):
    """MiB of a rank, as the summary says."""
    said = re.search(r"peak of a rank, ([0-9.]+) (\w+) of it planned", run.stdout)
    if run.returncode or not said:
        sys.exit(f"status {run.returncode}\n{run.stdout}{run.stderr}")
    return float(said[1]) * UNITS[said[2]]


def least(trainer):
    """The smallest budget, in MiB: what a budget of half of that is refused for, and what variables and batches take."""
    refused = trainer.run(None, "--memory=1MiB").stderr
    need = re.search(r"needs (\d+) bytes for temporary buffers", refused)
    rest = re.search(r"variables and batches (?:alone )?take ([0-9.]+) (\w+)", refused)
    if rest and not need:  # they alone do not fit: ask with a little more than they take
        refused = trainer.run(None, f"--memory={int((float(rest[1]) * UNITS[rest[2]] + 1) * MIB)}").stderr
        need = re.search(r"needs (\d+) bytes for temporary buffers", refused)
    if not need or not rest:
        sys.exit(f"no refusal that says how much is needed:\n{refused}")
    return int(need[1]) / MIB + float(rest[1]) * UNITS[rest[2]] + 0.1


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--budgets", type=int, default=3)
    arguments.add_argument("--batch", type=int, default=4096)
    given = arguments.parse_args()
    try:
        Group().close()
    except OSError as problem:
        print(f"no cgroup: {problem}")
        return
    trainer = Trainer(given.folder, given.batch)
    free, peak = with_group(None, trainer.run)
    whole = planned(free)
    rest = peak - whole
    lowest = least(trainer)
    print(f"without a budget {whole:.1f} MiB are planned, {rest:.1f} MiB taken beside them; the least budget is {lowest:.1f} MiB")
    for number in range(given.budgets):
        budget = lowest + (whole - lowest) * number / given.budgets
        more = f"--memory={int(budget * MIB)}"
        run, peak = with_group(budget + rest + 8, lambda group, more=more: trainer.run(group, more))
        plan = planned(run)
        off = peak - rest - plan
        print(f"budget {budget:.1f} MiB: {plan:.1f} planned, {peak - rest:.1f} taken")
        if plan > budget + 0.05 or abs(off) > max(0.01 * plan, 2):
            sys.exit(f"{off:.1f} MiB off, or over the budget")
    killed, _ = with_group((whole + rest) / 2, trainer.run)
    if killed.returncode == 0:
        sys.exit("half of the memory ended nobody: the limit was none")
    print(f"{given.budgets} budgets met, half of the memory ends the rank: {killed.stderr.strip().splitlines()[-1]}")


if __name__ == "__main__":
    main()
