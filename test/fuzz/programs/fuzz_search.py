#!/usr/bin/python3
"""fuzz_search.py [--cases N] [--minutes M] [--seed S] [--tools FOLDER]: lets --distribute=auto choose for random graphs, and forces all
candidates.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Each candidate that the search priced, written by hand, must take the time that was printed for it, and so must the second best form of each
tensor (test/passes/search/Inputs/force.py). Some keys are given, some graphs have a limit of memory; a limit that is too low for all
candidates is counted. A case that fails is printed with its seed: `--seed S --cases 1` runs it again. Ends with 1 if there was one.
"""
import os
import random
import subprocess
import sys
import tempfile

import campaign
from random_model import random_model
from random_strategy import random_recipe

INPUTS = os.path.join(campaign.ROOT, "test", "passes", "search", "Inputs")
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
    options = campaign.make_parser("Lets the search choose for random graphs, and forces all candidates.").parse_args()
    campaign.run(options, lambda seed: run_case(seed, options.tools), {"FAILED"}, "forced", "refused")


if __name__ == "__main__":
    main()
