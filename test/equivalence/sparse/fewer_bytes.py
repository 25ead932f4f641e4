"""fewer_bytes.py ROWS DENSE FACTOR: of the summaries of two runs, the first moved FACTOR times fewer bytes a rank than the second.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys

UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def moved(path):
    found = re.search(r"communication .*; ([\d.]+) (\w+) a rank", pathlib.Path(path).read_text(encoding="utf-8"))
    return float(found.group(1)) * UNITS[found.group(2)]


rows, dense = map(moved, sys.argv[1:3])
print(f"{rows:.0f} bytes with rows, {dense:.0f} with tables")
sys.exit(0 if 0 < rows * float(sys.argv[3]) <= dense else 1)
