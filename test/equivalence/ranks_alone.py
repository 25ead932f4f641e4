"""Checks that ranks which train on their own have done what each of them does alone.

    ranks_alone.py TOGETHER.safetensors ALONE0.safetensors ALONE1.safetensors ...

TOGETHER has the mean over the ranks of what they average, and a row for each rank of what they do not: the rows are the
bits of the ranks alone, the means their mean within 1e-6.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402


def is_right(together, alone):
    rows = np.stack(alone)
    if together.shape == rows.shape:
        return together.tobytes() == rows.tobytes()
    return bool(np.allclose(together, rows.mean(axis=0, dtype=np.float64), rtol=0, atol=1e-6))


def main():
    together, *alone = (read_checkpoint(path) for path in sys.argv[1:])
    wrong = [name for name in alone[0] if not is_right(together[name], [rank[name] for rank in alone])]
    if wrong:
        sys.exit(f"different together: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
