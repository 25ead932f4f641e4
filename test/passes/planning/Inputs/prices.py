"""Holds what collective-choose expects of its choice against the price of the program that it makes: prices.py DIST-OPT MODEL RECIPE CLUSTER RANKS.

--distribute=auto lowers the whole program of a candidate and plays that; collective-choose only arranges what one lowering measured.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

WAYS = ("shard-optimizer=0 overlap=false", "shard-optimizer=0 overlap=true", "shard-optimizer=1 overlap=false", "shard-optimizer=1 overlap=true",
        "shard-optimizer=2 overlap=true", "shard-optimizer=3 overlap=false", "shard-optimizer=3 overlap=true", "shard-optimizer=0 accumulate=2 overlap=true",
        "shard-optimizer=3 accumulate=2 overlap=false", "shard-optimizer=3 accumulate=2 overlap=true",
        "shard-optimizer=0 mesh=tp:2 tensor=auto sequence=false accumulate=2 overlap=true",
        "shard-optimizer=0 mesh=tp:2 tensor=auto sequence=false accumulate=2 overlap=true interleave=2",
        "shard-optimizer=3 mesh=tp:2 tensor=auto sequence=false accumulate=2 overlap=true interleave=2")


def remarks(command):
    done = subprocess.run([*command, "--remarks=json"], capture_output=True, text=True, check=True)
    return [json.loads(line)["message"] for line in done.stderr.splitlines() if line.startswith("{")]


def only(pattern, messages):
    found = [match for message in messages if (match := re.search(pattern, message))]
    assert len(found) == 1, (pattern, messages)
    return found[0]


def main():
    opt, model, recipe, cluster, ranks = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "program.mlir")
        for way in WAYS:
            mesh = "" if "mesh=" in way else "mesh=none "
            turns = "" if "interleave=" in way else "interleave=1 "
            keys = f"auto {mesh}{turns}chunks=1 keep-gathered=none hierarchy=none buckets=auto {way} cluster={cluster} auto-ranks={ranks}"
            searched = remarks([opt, model, f"--train={recipe}", f"--distribute={keys}", "--remarks-filter=distribute-search", "-o", program])
            price = only(r"^candidate .*?: ([0-9.]+) ms a step", searched)[1]
            chosen = remarks([opt, program, f"--specialize-world=ranks={ranks}", "--remarks-filter=collective-choose", "-o", "/dev/null"])
            choice = only(r"chose (.*?) for \d+ ranks, ([0-9.]+) ms predicted", chosen)
            assert abs(float(choice[2]) - float(price)) < 1e-3, (way, choice[0], price)
            print(f"{way}: {choice[1]}")


if __name__ == "__main__":
    main()
