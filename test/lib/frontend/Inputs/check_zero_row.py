"""Demands that one row of a table of a checkpoint is zero, and only that. `check_zero_row.py CHECKPOINT TABLE ROW`"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[4] / "tools" / "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402

path, table, row = sys.argv[1:]
zeros = [i for i, values in enumerate(read_checkpoint(path)[table]) if not values.any()]
if zeros != [int(row)]:
    sys.exit(f"rows {zeros} of {table} are zero, not row {row} alone")
