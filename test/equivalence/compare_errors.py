"""Checks that one checkpoint is nearer to the exact one than another is.

    compare_errors.py VARIABLE EXACT.safetensors FAR.safetensors NEAR.safetensors --times FACTOR

Errors are norms of the differences of the variable, in f64.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402


def error(exact, found):
    return float(np.linalg.norm(exact.astype(np.float64) - found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variable")
    parser.add_argument("checkpoints", nargs=3)
    parser.add_argument("--times", type=float, required=True)
    arguments = parser.parse_args()
    exact, far, near = (read_checkpoint(path)[arguments.variable] for path in arguments.checkpoints)
    errors = error(exact, far), error(exact, near)
    print(f"errors: {errors[0]:.3e} and {errors[1]:.3e}")
    sys.exit(0 if errors[1] * arguments.times <= errors[0] else 1)


if __name__ == "__main__":
    main()
