#!/usr/bin/python3
# Runs stock passes in random orders over programs that communicate, and checks that nothing changed.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs stock passes in random orders over programs that communicate, and checks that nothing changed.

    run_orders.py --opt DIST_OPT --run DIST_RUN --dataset NPZ --work FOLDER [--seed S] [--orders N] [--ranks 2,4]

Each order takes one of the programs in Inputs/, puts three to eight passes over it, and asks

  - whether `collective-verify-order` says what it said of the program as it was written, and
  - whether the program, if it runs, ends with the same bits on each number of ranks.

The first line of a program says which: `// runs:`, `// proved:` (accepted for a given number of ranks, and not run) or
`// refused:`. Orders follow from the seed alone. Ends with 1 at the
first breach, with the commands that show it.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys

# Whatever the program, these change neither what it means nor the level that it is written on.
STOCK = [
    "canonicalize", "cse", "control-flow-sink", "inline", "loop-invariant-code-motion",
    "loop-invariant-subset-hoisting", "mem2reg", "remove-dead-values", "sccp", "sroa", "symbol-dce",
    "topological-sort", "strip-debuginfo",
]
OWN = ["collective-fuse", "collective-overlap", "collective-simplify"]


class Breach(Exception):
    """What an order of passes changed."""


def call(command, limit=300):
    """The result of a command that may fail but must end by itself."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    if done.returncode < 0:
        raise Breach(f"{' '.join(command)}\nended by signal {-done.returncode}\n{done.stderr[-2000:]}")
    return done


def read_variables(path):
    """Everything in a checkpoint but the name of its program: the header and the bytes of all variables."""
    content = path.read_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    header.pop("__metadata__", None)
    return header, content[end:]


class Case:
    """One program, with what it must stay."""

    def __init__(self, path, args):
        self.path, self.args = path, args
        kind = path.read_text().split(":", 1)[0]
        self.runs, self.is_accepted = kind == "// runs", kind != "// refused"
        self.reference = {}

    def verdict(self, program, ranks):
        done = call([self.args.opt, program, f"--collective-verify-order=ranks={ranks}", "-o", "/dev/null"])
        return done.returncode == 0, done.stderr

    def variables(self, program, ranks, name):
        saved = pathlib.Path(self.args.work) / f"{name}.safetensors"
        command = [self.args.run, "-n", str(ranks), program, "--steps", "2", "--dataset", self.args.dataset,
                   "--save", str(saved)]
        done = call(command)
        if done.returncode:
            raise Breach(f"{' '.join(command)}\ndoes not run: {done.stderr[-2000:]}")
        return read_variables(saved)

    def check(self, program, ranks, name):
        agreed, said = self.verdict(program, ranks)
        if agreed != self.is_accepted:
            raise Breach(f"{program} on {ranks} ranks is {'accepted' if agreed else 'refused'}: {said[-2000:]}")
        if not self.runs:
            return
        if ranks not in self.reference:
            self.reference[ranks] = self.variables(str(self.path), ranks, f"{self.path.stem}.{ranks}")
        if self.variables(program, ranks, name) != self.reference[ranks]:
            raise Breach(f"{program} on {ranks} ranks ends with other bits than {self.path}")


def try_order(case, passes, number, args):
    """Puts the passes over the program, and checks what comes out."""
    name = f"{case.path.stem}.order{number}"
    after = str(pathlib.Path(args.work) / f"{name}.mlir")
    command = [args.opt, "--verify-each", str(case.path), *(f"--{each}" for each in passes), "-o", after]
    try:
        done = call(command)
        if done.returncode:
            raise Breach(f"the passes fail: {done.stderr[-2000:]}")
        for ranks in args.ranks:
            case.check(after, ranks, f"{name}.{ranks}")
    except Breach as breach:
        raise Breach(f"order {number} of seed {args.seed}: {' '.join(command)}\n{breach}") from None


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for option in ("--opt", "--run", "--dataset", "--work"):
        parser.add_argument(option, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--ranks", type=lambda text: [int(each) for each in text.split(",")], default=[2, 4])
    return parser.parse_args()


def main():
    args = parse()
    pathlib.Path(args.work).mkdir(parents=True, exist_ok=True)
    folder = pathlib.Path(__file__).parent / "Inputs"
    cases = [Case(path, args) for path in sorted(folder.glob("*.mlir"))]
    draw = random.Random(args.seed)
    try:
        for case in cases:  # as they are written
            for ranks in args.ranks:
                case.check(str(case.path), ranks, f"{case.path.stem}.{ranks}")
        for number in range(args.orders):
            passes = draw.choices(STOCK, k=draw.randint(3, 8))
            for own in draw.sample(OWN, k=draw.randint(0, 2)):
                passes.insert(draw.randint(0, len(passes)), own)
            try_order(cases[number % len(cases)], passes, number, args)
    except Breach as breach:
        sys.exit(str(breach))
    print(f"{args.orders} orders of {len(STOCK) + len(OWN)} passes over {len(cases)} programs changed nothing")


if __name__ == "__main__":
    main()
