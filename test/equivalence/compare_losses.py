"""Compares the losses of a run (--metrics FILE.jsonl) with the curve of the numpy oracle, step by step.

    compare_losses.py ORACLE.json METRICS.jsonl --limit LIMIT [--steps N] [--metric NAME]     (the oracle may be a .jsonl too)
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import pathlib
import sys


def losses_of(path, metric):
    """The losses of a curve, or another metric: a .json of lists, or a .jsonl with one object a step."""
    if path.suffix == ".json":
        return json.loads(path.read_text())[metric]
    return [json.loads(line)[metric] for line in path.read_text().splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("oracle", type=pathlib.Path)
    parser.add_argument("metrics", type=pathlib.Path)
    parser.add_argument("--limit", type=float, required=True, help="of |difference| / loss, at each step")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--metric", default="loss")
    arguments = parser.parse_args()
    expected = losses_of(arguments.oracle, arguments.metric)[:arguments.steps]
    found = losses_of(arguments.metrics, arguments.metric)[:arguments.steps]
    if len(expected) != arguments.steps or len(found) != arguments.steps:
        sys.exit(f"wanted {arguments.steps} steps, the oracle has {len(expected)}, the run {len(found)}")
    differences = [abs(a - b) / abs(a) for a, b in zip(expected, found)]
    worst = max(range(len(differences)), key=differences.__getitem__)
    print(f"largest relative difference {differences[worst]:.2e} at step {worst + 1}")
    sys.exit(0 if differences[worst] <= arguments.limit else 1)


if __name__ == "__main__":
    main()
