"""Counts the work of --distribute on programs of 200, 400 and 800 layers: what grows faster than the program is an error.

    growth.py --tools BIN [--layers 200 400 800] [--pairs] [--keys "KEY=VALUE ..."]... [--table]

Each key of test/zoo/sweep.py alone on all sizes; --pairs: each two of them on the first two. Work is what count-work counts: steps, and
memory that is allocated; times are nobody's concern here. --keys counts these instead, and --table shows all counts.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import concurrent.futures
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

import onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/zoo"))
import sweep as zoo  # noqa: E402

import layers as models  # noqa: E402

# Whatever a step may do with gradients; and nothing, for tables that servers update alone.
RECIPES = {"whole": "loss=softmax-cross-entropy optimizer=adam clip-norm=1.0 loss-scale=8 global-batch=64",
           "plain": "loss=softmax-cross-entropy optimizer=adagrad global-batch=64",
           "stacked": "loss=softmax-cross-entropy optimizer=sgd global-batch=64"}
MODELS = {"whole": models.model, "plain": models.model, "stacked": models.stacked_model}
STACKED = "mesh=tp:2 tensor=*.wide=1;*.gain=0;*.narrow=0"
KINDS = ["steps", "allocations", "bytes allocated"]
# A program of twice the size may take this much more work. All that is linear stays below 2.01; one loop that is folded again for each value
# that it carries adds 0.08 between 40 and 80 layers.
MOST = 2.05
# What mesh=tp:N tries for each weight reaches further in a longer chain, up to a number of operations, so that 40 layers are not yet linear.
MOST_OF_MESH = 2.25
# Of these keys each value takes the same way as the first.
ALIKE = {"compress": 1, "batch-policy": 2, "shard-optimizer": 3, "hierarchy": 1}


def singles():
    values = {key: those[:ALIKE.get(key, len(those))] for key, those in zoo.VALUES.items()}
    return [f"{key}={value}" for key, those in values.items() for value in those]


def pairs(keys):
    return [f"{a} {b}" for a, b in itertools.combinations(keys, 2) if a.split("=")[0] != b.split("=")[0]]


def completed(keys):
    """With what a key has no meaning without."""
    words = keys.split()
    names = {word.split("=")[0] for word in words}
    if any(name.startswith("serve-") for name in names) and "serve" not in names:
        words.append("serve=auto" if "serve-min-bytes" in names else "serve=*")
    if "buckets=auto" in words and "cluster" not in names:
        words.append(f"cluster={zoo.CLUSTER}")
    if names & {"tensor", "sequence"} and "mesh" not in names:
        words.append("mesh=tp:2")
    if names & {"chunks", "chunk-min-bytes"}:
        needed = {"chunks": "2", "chunk-min-bytes": "1", "mesh": "tp:2", "overlap": "true"}
        words += [f"{name}={value}" for name, value in needed.items() if not any(word.startswith(name + "=") for word in words)]
    if names & {"compress-min-bytes", "error-feedback"} and "compress" not in names:
        words.append("compress=f16")
    if names & {"serve-staleness", "serve-warm-up"} and "serve-mode" not in names:
        words.append("serve-mode=async")
    return " ".join(words)


def recipe_of(keys):
    return "stacked" if keys == STACKED else "plain" if "serve" in keys else "whole"


def make_programs(tools, sizes, folder):
    """By recipe one of each size."""
    programs = {recipe: [] for recipe in RECIPES}
    for size in sizes:
        for recipe, text in RECIPES.items():
            model = folder / f"{recipe}{size}.onnx"
            onnx.save(MODELS[recipe](size), model)
            programs[recipe].append(folder / f"{recipe}{size}.mlir")
            subprocess.run([tools / "dist-opt", model, f"--train={text}", "-o", programs[recipe][-1]], check=True)
    return programs


def count(tools, programs, cases):
    """By case the counts of each program, or why it is refused."""
    done = subprocess.run([tools / "count-work", "4", *programs], input="\n".join(cases) + "\n", stdout=subprocess.PIPE,
                          text=True, check=True)
    found = {}
    for case, line in zip(cases, done.stdout.splitlines(), strict=True):
        numbers = [int(number) for number in line.split()] if not line.startswith("refused: ") else None
        found[case] = line if numbers is None else [numbers[i:i + len(KINDS)] for i in range(0, len(numbers), len(KINDS))]
    return found


def count_in_parallel(tools, programs, sizes, cases, jobs=2):
    """The first `sizes` programs of each recipe. Every K-th case is another process's: neighbours take equally long."""
    parts = []
    for recipe in RECIPES:
        those = [case for case in cases if recipe_of(case) == recipe]
        parts += [(recipe, those[i::jobs]) for i in range(jobs) if those[i::jobs]]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda part: count(tools, programs[part[0]][:sizes], part[1]), parts)
        return {case: counts for part in found for case, counts in part.items()}


def complaints(sizes, found):
    for case, counts in found.items():
        if isinstance(counts, str):
            if not any(re.search(refusal, counts) for refusal in zoo.REFUSALS):
                yield f"{case}: {counts}"
            continue
        for (small, few), (large, many) in itertools.pairwise(zip(sizes, counts)):
            most = (MOST_OF_MESH if "mesh=" in case else MOST) * large / small / 2
            for kind, less, more in zip(KINDS, few, many):
                if more > most * less:
                    yield (f"{case}: {kind} grow from {less:,} at {small} layers to {more:,} at {large}: "
                           f"{more / less:.1f} times, more than {most:.1f}")


def show(sizes, found):
    for case, counts in found.items():
        print(case, counts if isinstance(counts, str) else "")
        for size, numbers in zip(sizes, [] if isinstance(counts, str) else counts):
            print(f"  {size:>6}", *(f"{number:>15,}" for number in numbers))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--layers", type=int, nargs="+", default=[200, 400, 800])
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--keys", action="append")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    alone, sizes = singles(), arguments.layers
    with tempfile.TemporaryDirectory() as folder:
        programs = make_programs(arguments.tools, sizes, pathlib.Path(folder))
        cases = arguments.keys or list(dict.fromkeys(completed(key) for key in ["", *alone])) + [STACKED]
        found = count_in_parallel(arguments.tools, programs, len(sizes), cases)
        if arguments.pairs:
            both = list(dict.fromkeys(completed(pair) for pair in pairs(alone)))
            found.update(count_in_parallel(arguments.tools, programs, 2, [case for case in both if case not in found]))
    if arguments.table:
        show(sizes, found)
    refused = sum(isinstance(counts, str) for counts in found.values())
    print(f"{len(found)} cases, {refused} that contradict themselves")
    wrong = list(complaints(sizes, found))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
