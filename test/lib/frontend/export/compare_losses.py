"""Compares the losses of two runs: compare_losses.py FIRST.jsonl SECOND.jsonl LIMIT, relative."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line)["loss"] for line in lines]


def main():
    first, second, limit = read(sys.argv[1]), read(sys.argv[2]), float(sys.argv[3])
    worst = max(abs(a - b) / abs(a) for a, b in zip(first, second, strict=True))
    print(f"{len(first)} steps, largest relative difference {worst:.1e}")
    sys.exit(not first or worst > limit)


if __name__ == "__main__":
    main()
