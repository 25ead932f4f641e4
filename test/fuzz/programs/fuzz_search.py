#!/usr/bin/python3
"""fuzz_search.py [--cases N] [--minutes M] [--seed S] [--tools FOLDER]: lets --distribute=auto choose for random graphs, and forces all
candidates.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Each candidate that the search priced, written by hand, must take the time that was printed for it, and so must the second best form of each
tensor (test/passes/search/Inputs/force.py). Some keys are given, some graphs have a limit of memory; a limit that is too low for all
candidates is counted. A case that fails is printed with its seed: `--seed S --cases 1` runs it again. Ends with 1 if there was one.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

from random_model import random_model
from random_strategy import random_recipe

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
INPUTS = os.path.join(ROOT, "test", "passes", "search", "Inputs")
GIVEN = ("", "overlap=true", "mesh=tp:2", "mesh=tp:2 sequence=true", "shard-optimizer=3", "hierarchy=auto", "buckets=none")


def run_case(seed, tools):
    """"forced", "refused", or what is wrong."""
    source = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        model = random_model(source)
        model.write(path)
        recipe = f"{random_recipe(source, model.loss)} global-batch={24 * source.choice((1, 2))}"
        given = source.choice(GIVEN + (() if model.takes_statistics else ("accumulate=2",)))
        limit = [str(1024 * source.choice((20, 60, 200)))] if source.random() < 0.3 else []
        cluster, ranks = source.choice((("slow", 2), ("slow", 4), ("fast", 4), ("slow", 8)))
        command = [sys.executable, os.path.join(INPUTS, "force.py"), os.path.join(tools, "dist-opt"), path,
                   os.path.join(INPUTS, cluster + ".json"), str(ranks), recipe, given, *limit]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return f"FAILED seed {seed}: no end after 300 s: {command[4:]}"
    if done.returncode == 0:
        return "forced"
    is_refused = limit and "--distribute=auto finds nothing that a rank can have" in done.stderr
    return "refused" if is_refused else f"FAILED seed {seed}: {command[4:]}\n{done.stderr[-1500:]}"


def main():
    parser = argparse.ArgumentParser(description="Lets the search choose for random graphs, and forces all candidates.")
    parser.add_argument("--cases", type=int, default=0, help="how many (default: as many as fit)")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so long")
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the next have the next numbers")
    parser.add_argument("--tools", default=os.path.join(ROOT, "build", "bin"))
    options = parser.parse_args()
    if not options.cases and not options.minutes:
        options.cases = 10
    until = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    counts = {"forced": 0, "refused": 0, "FAILED": 0}
    seed = options.seed
    while (not options.cases or seed < options.seed + options.cases) and time.monotonic() < until:
        outcome = run_case(seed, options.tools)
        counts[outcome.split()[0]] += 1
        if outcome.startswith("FAILED"):
            print(outcome, flush=True)
        seed += 1
    print(f"{sum(counts.values())} cases: {counts['forced']} forced, {counts['refused']} refused, {counts['FAILED']} failed")
    sys.exit(counts["FAILED"] > 0 or counts["forced"] < counts["refused"])


if __name__ == "__main__":
    main()
