"""equal_variables.py CHECKPOINT FIRST SECOND: ends with 0 if both variables have the same bits, and have moved from 0.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools" / "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402

variables = read_checkpoint(sys.argv[1])
first, second = (variables[name] for name in sys.argv[2:])
if not first.any():
    sys.exit(f"{sys.argv[2]} is zero")
if first.tobytes() != second.tobytes():
    sys.exit(f"{(first != second).sum()} of {first.size} elements differ")
