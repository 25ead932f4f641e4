"""Prints how much memory @step plans for its temporary buffers in each of several compiled programs, and ends with 1 unless each
takes less than the one before.

    arena_bytes.py FIRST.mlir SECOND.mlir ...
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys


def bytes_of(path):
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        if "@step" in line and "kernel.arena_bytes" in line:
            return int(re.search(r"kernel\.arena_bytes = (\d+)", line)[1])
    sys.exit(f"{path}: no function @step with an arena")


def main():
    sizes = [bytes_of(path) for path in sys.argv[1:]]
    print("arena bytes:", *sizes)
    sys.exit(0 if all(after < before for before, after in zip(sizes, sizes[1:])) else 1)


if __name__ == "__main__":
    main()
