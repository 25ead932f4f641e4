#!/usr/bin/python3
"""Compares two checkpoints variable by variable: the norm of the difference over the norm of the first.

    compare_checkpoints.py FIRST.safetensors SECOND.safetensors [--limit 1e-5] [--quiet]

Prints one line a variable and the largest value. Ends with 1 if a variable is missing, has another type or shape, holds a
NaN, or differs by more than the limit; `--limit 0` demands equal bits.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import math
import sys

import numpy as np

from checkpoint_file import read_checkpoint


def relative_difference(first, second):
    """Norm of the difference over the norm of `first` (the difference itself where that norm is 0), in f64.

    Equal bits give 0 and a NaN on one side only gives infinity, so that no limit lets it pass.
    """
    if first.tobytes() == second.tobytes():
        return 0.0
    a, b = first.astype(np.float64), second.astype(np.float64)
    norm = float(np.linalg.norm(a))
    value = float(np.linalg.norm(a - b)) / (norm if norm else 1.0)
    return value if math.isfinite(value) else math.inf


def compare(first, second):
    """({variable: relative difference}, [what keeps the two from being comparable])."""
    problems = [f"{name}: only in one of the checkpoints" for name in sorted(set(first) ^ set(second))]
    differences = {}
    for name in first:
        if name not in second:
            continue
        a, b = first[name], second[name]
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            problems.append(f"{name}: {a.dtype}{list(a.shape)} in the first, {b.dtype}{list(b.shape)} in the second")
        else:
            differences[name] = relative_difference(a, b)
    if not differences:
        problems.append("no variable in common")
    return differences, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--limit", type=float, default=math.inf, help="largest relative difference to accept")
    parser.add_argument("--quiet", action="store_true", help="print the largest difference only")
    arguments = parser.parse_args()
    try:
        differences, problems = compare(read_checkpoint(arguments.first), read_checkpoint(arguments.second))
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not arguments.quiet:
        for name, value in differences.items():
            print(f"  {value:9.2e}  {name}")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    largest = max(differences.items(), key=lambda item: item[1], default=("no variable", math.inf))
    print(f"largest relative difference: {largest[1]:.2e} ({largest[0]}, of {len(differences)} variables)")
    return 1 if problems or not largest[1] <= arguments.limit else 0


if __name__ == "__main__":
    sys.exit(main())
