"""served_mesh.py WORKERS.jsonl MESH.jsonl: compares what servers tell of a run whose workers have samples of their own with that of a run of as many groups
of two neighbours.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys


def told(name):
    with open(name, encoding="utf-8") as file:
        tables = [json.loads(line) for line in file][-1]["servers"]
    return {key: sum(table[key] for table in tables) for key in ("pulled_rows", "pushed_rows", "updates", "rows_used")}


workers, mesh = map(told, sys.argv[1:])
expected = {**workers, "pulled_rows": 2 * workers["pulled_rows"]}
if mesh != expected:
    sys.exit(f"servers tell {mesh}, and not {expected}")
print("2 groups of 2: pushed rows as of 2 workers, pulled rows 2 times, updates equal")
