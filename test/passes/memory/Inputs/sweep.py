"""Compiles a model within hundredths of the memory for the values of its step, every one near the least. All from the least that is met
up must be met.

    sweep.py DIST_OPT MODEL RECIPE
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import subprocess
import sys

dist_opt, model, recipe = sys.argv[1:]
command = [dist_opt, model, f"--train={recipe}", "-o", "/dev/null"]


def compile_within(arena_bytes):
    return subprocess.run([*command, f"--compile=arena-bytes={arena_bytes}", "--remarks", "--remarks-filter=lower-plan-memory"],
                          capture_output=True, text=True, check=False)


whole = int(re.search(r": step: the arena has (\d+)", compile_within(0).stderr)[1])
shares = [*range(20, 45), *range(45, 101, 5)]
met = [share for share in shares if compile_within(whole * share // 100).returncode == 0]
missing = [share for share in shares if share > met[0] and share not in met]
if missing:
    sys.exit(f"{met[0]} % of the memory is met, and {missing} % is not")
print(f"met from {met[0]} % on")
