"""less_memory.py ROWS DENSE BYTES: of two programs printed after lower-plan-memory, the step of the first needs less memory than
that of the second, by at least BYTES.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys


def arena_bytes(path):
    steps = [line for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() if "func.func @step(" in line]
    return int(re.search(r"kernel.arena_bytes = (\d+)", steps[-1]).group(1))


rows, dense = map(arena_bytes, sys.argv[1:3])
print(f"{rows} bytes with rows, {dense} with tables")
sys.exit(0 if rows + int(sys.argv[3]) <= dense else 1)
