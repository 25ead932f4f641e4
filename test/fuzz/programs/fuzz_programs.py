#!/usr/bin/python3
"""fuzz_programs.py [--cases N] [--minutes M] [--seed S] [--tools FOLDER] [--keep FOLDER]: trains random graphs in random ways,
and compares what must be equal.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Of each case some trainings are run from the same start on the same data, with six steps:
  alone      one rank, nothing distributed
  plain      N ranks, data parallel
  ordered    N ranks with those keys of the case that decide the order of sums
  strategy   N ranks with all keys of the case (docs/options.md), stock passes of MLIR after them, perhaps within less memory, on another
             backend, with states in files, and proved by dist-run --verify
  folded     the program of `strategy` on one rank, where its keys are not of several
  resumed    `strategy` for half of the steps, and plain data parallelism of other ranks for the others, in some cases
With batch normalization and micro-batches, whose statistics one rank alone does not take, `plain` has the micro-batches, too,
and agrees with `folded`. Else `plain` agrees with `alone` within 1e-5 (docs/decisions/0001), `ordered` and `resumed` with `plain` within the
limits of their keys, `strategy` with `ordered` bit for bit where its keys promise it; `folded` has the bits of `alone`, unless a key
changes what one rank computes. Each is evaluated in the end, and losses may be ten times as far apart as variables, as they are printed
with four digits. A run that is refused with an error is counted, a crash or a hang is a failure. A model may be so sensitive that the last
bit of its initial values changes what one rank computes by more than the difference found: up to 1e-4 that is counted as rounding, and
told. Each failure is made simpler while it fails, and printed with its seed: `--seed S --cases 1` runs it again. Ends with 1 if there was one.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import numpy as np
import onnx
import onnx.numpy_helper

import campaign
from random_model import random_model
from random_strategy import random_strategy

sys.path.insert(0, os.path.join(campaign.ROOT, "tools", "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402
from compare_checkpoints import compare  # noqa: E402

STEPS = 6
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20}
MOST_ROUNDING = 1e-4  # a larger difference is a failure however sensitive the model is


class Refused(Exception):
    """The tools said why they would not do it."""


class Broken(Exception):
    """What may never happen."""


class Differs(Broken):
    """Two runs that are equal but for rounding, by `difference`, are further apart than allowed."""

    def __init__(self, message, difference):
        super().__init__(message)
        self.difference = difference


@dataclass(frozen=True)
class Trained:
    """The outcome of a run."""
    variables: object  # of a checkpoint
    evaluation: str  # "loss 1.2345 accuracy 0.5 (60 samples)"

    def loss(self):
        return float(re.search(r"loss ([0-9.e+-]+)", self.evaluation)[1])


class Case:
    def __init__(self, seed, folder, tools):
        self.seed, self.folder, self.tools = seed, folder, tools
        source = random.Random(seed)
        model = random_model(source)
        model.write(self.path("model.onnx"))
        self.strategy = random_strategy(source, model)
        if model.takes_statistics:
            self.strategy = self.strategy.takes_statistics()
        model.write_data(self.path("data.npz"), samples=STEPS * self.strategy.global_batch)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, tool, *words):
        command = [os.path.join(self.tools, tool), *words]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120, check=False)
        except subprocess.TimeoutExpired as late:
            raise Broken(f"no end after 120 s: {' '.join(command)}") from late
        if done.returncode == 0:
            return done.stdout
        message = f"{' '.join(command)}\n{done.stderr[-2000:]}"
        is_signal = done.returncode < 0 or done.returncode > 128 or "died" in done.stderr or "PLEASE submit" in done.stderr
        if is_signal or "error: " not in done.stderr:
            raise Broken(f"status {done.returncode}: {message}")
        raise Refused(message)

    def prepare(self, strategy, name, model="model.onnx"):
        """The program of `strategy`; its text passes through dist-opt twice, as a user's would."""
        first, program = self.path(name + ".first.mlir"), self.path(name + ".mlir")
        words = [f"--train={strategy.recipe}"]
        if name != "alone":
            words.append(f"--distribute={strategy.distribute()}")
        self.run("dist-opt", self.path(model), *words, "-o", first)
        self.run("dist-opt", first, *(f"--{stock}" for stock in strategy.passes), "-o", program)
        return program

    def train(self, program, ranks, name, *words, steps=STEPS):
        checkpoint = self.path(name + ".safetensors")
        if ranks == self.strategy.ranks:
            words += self.strategy.order()
        data = self.path("data.npz")
        told = self.run("dist-run", "-n", str(ranks), program, "--dataset", data, "--evaluate", data, "--steps", str(steps), "--seed", "3",
                        "--save", checkpoint, *words)
        return Trained(read_checkpoint(checkpoint), re.search(r"^evaluation: (.*)", told, re.MULTILINE)[1])

    def train_within(self, program, strategy, name):
        """Within a share of the memory that it takes, where that is possible."""
        words = [word.replace("FOLDER", self.path("aside")) for flags in strategy.run for word in flags]
        os.makedirs(self.path("aside"), exist_ok=True)
        words += ["--verify"] if strategy.is_verified else []
        if strategy.room < 1:
            told = self.run("dist-run", "-n", str(strategy.ranks), program, "--dataset", self.path("data.npz"), "--dry-run")
            size, unit = re.search(r"^  memory +([0-9.]+) (\w+) of a rank", told, re.MULTILINE).groups()
            try:
                return self.train(program, strategy.ranks, name, *words, "--memory", str(int(strategy.room * float(size) * UNITS[unit])))
            except Refused as refused:
                if "--memory allows a rank" not in str(refused):
                    raise
        return self.train(program, strategy.ranks, name, *words)

    def train_in_halves(self, strategy):
        """With `strategy`, and then plainly on other ranks."""
        folder = self.path("run")
        shutil.rmtree(folder, ignore_errors=True)
        halves = ((strategy.ranks, strategy, STEPS // 2), (strategy.resumes_on, strategy.continued(), STEPS))
        for ranks, keys, steps in halves:
            resumed = self.train(self.path("model.onnx"), ranks, "resumed", f"--train={strategy.recipe}", f"--distribute={keys.distribute()}",
                                 "--model-dir", folder, *(["--resume-anyway=reductions"] if strategy.order() else []), steps=steps)
        return resumed

    def check(self, what, first, second, limit):
        differences, problems = compare(first.variables, second.variables)
        worst = max(differences, key=differences.get, default="")
        if problems or differences[worst] > limit:
            found = "; ".join(problems) or f"{worst} differs by {differences[worst]:.2e}, allowed is {limit:.0e}"
            message = f"{what}: {found}"
            raise Broken(message) if problems or limit == 0 else Differs(message, differences[worst])
        if first.evaluation != second.evaluation if limit == 0 else abs(first.loss() - second.loss()) > 10 * limit * (1 + first.loss()):
            raise Broken(f"{what}: these variables are evaluated as '{first.evaluation}' and '{second.evaluation}'")

    def sensitivity(self, strategy):
        """How far the variables of one rank move where the initial ones change by their last bit: the most of six times."""
        source = np.random.default_rng(self.seed)
        alone = self.train(self.prepare(strategy.alone(), "alone"), 1, "alone")
        most = 0.0
        for _ in range(6):
            change_last_bits(self.path("model.onnx"), self.path("changed.onnx"), source)
            changed = self.train(self.prepare(strategy.alone(), "changed", "changed.onnx"), 1, "changed")
            most = max(most, *compare(alone.variables, changed.variables)[0].values())
        return most

    def test(self, strategy):
        plain = self.train(self.prepare(strategy.plain(), "plain"), strategy.ranks, "plain")
        ordered = plain
        if strategy.ordered().keys != strategy.plain().keys:
            ordered = self.train(self.prepare(strategy.ordered(), "ordered"), strategy.ranks, "ordered")
            self.check("another order of sums against plain data parallelism", plain, ordered, strategy.limit())
        program = self.prepare(strategy, "strategy")
        rich = self.train_within(program, strategy, "strategy")
        self.check("the strategy against one of the same order", ordered, rich, 0 if strategy.keeps_bits() else strategy.limit())
        if strategy.resumes_on:
            self.check(f"gone on with on {strategy.resumes_on} ranks", plain, self.train_in_halves(strategy), strategy.limit())
        self.test_one_rank(strategy, plain, program)

    def test_one_rank(self, strategy, plain, program):
        folded = self.train(program, 1, "folded") if strategy.is_for_one_rank() else None
        if not strategy.is_one_step_alone():
            if folded:
                self.check(f"{strategy.ranks} ranks against one", folded, plain, strategy.limit())
            return
        alone = self.train(self.prepare(strategy.alone(), "alone"), 1, "alone")
        self.check(f"{strategy.ranks} ranks against one", alone, plain, strategy.own_limit())
        changes_one_rank = "accumulate" in strategy.keys
        if folded:
            self.check("one rank, distributed or not", alone, folded, strategy.limit() if changes_one_rank else 0)

    def failure(self, strategy):
        """What is broken, or None. Refusals pass on."""
        try:
            self.test(strategy)
        except Broken as broken:
            return broken
        return None

    def simplify(self, strategy, found):
        for simpler in strategy.simpler():
            try:
                still = self.failure(simpler)
            except Refused:
                continue
            if still:
                return self.simplify(simpler, still)
        return strategy, found


def change_last_bits(path, to, source):
    """Each initial value goes to its neighbour above or below, or stays."""
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype == np.float32:
            towards = values + source.integers(-1, 2, size=values.shape).astype(np.float32)
            tensor.CopyFrom(onnx.numpy_helper.from_array(np.nextafter(values, towards), tensor.name))
    onnx.save(model, to)


def run_case(seed, folder, tools):
    """"equal", "refused", the text of a failure, or that of a difference by rounding."""
    case = Case(seed, folder, tools)
    try:
        found = case.failure(case.strategy)
        if not found:
            return "equal"
        if isinstance(found, Differs):
            sensitivity = case.sensitivity(case.strategy)
            if found.difference <= min(sensitivity, MOST_ROUNDING):
                return f"rounding at seed {seed}: {found}; a last bit of the initial values makes {sensitivity:.1e}"
        strategy, found = case.simplify(case.strategy, found)
        case.failure(strategy)  # its files stay
    except Refused as refused:
        return f"refused: {refused}"
    passes = " ".join(f"--{name}" for name in strategy.passes)
    return (f"FAILED seed {seed}: {found}\n  -n {strategy.ranks} --train='{strategy.recipe}' "
            f"--distribute='{strategy.distribute()}' {passes} {' '.join(word for flags in strategy.run for word in flags)}{' --verify' * strategy.is_verified}, in {strategy.room} of the memory, then on {strategy.resumes_on}\n  in {folder}")


def main():
    parser = campaign.make_parser("Trains random graphs in random ways, and compares.")
    parser.add_argument("--keep", help="where the files of failures stay (default: nowhere)")
    parser.add_argument("--refusals", action="store_true", help="print why cases were refused")
    options = parser.parse_args()

    def run_one(seed):
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(options.keep, str(seed)) if options.keep else scratch
            os.makedirs(folder, exist_ok=True)
            return run_case(seed, folder, options.tools)

    campaign.run(options, run_one, {"FAILED", "rounding"} | ({"refused"} if options.refusals else set()), "equal", "refused")


if __name__ == "__main__":
    main()
