"""Compiles models in several ways, and holds the arena of each step against the bytes that live at its worst moment.

    arena_waste.py DIST_OPT FOLDER

FOLDER holds the models NAME.onnx that make_families.py writes. Without buckets, which want a row of neighbours, an arena may
have 3 % more; with them 5 %. Ends with 1 if one has more, or if nothing was told.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import concurrent.futures
import itertools
import pathlib
import re
import subprocess
import sys

WAYS = {"": 1.05, "buckets=none": 1.03, "shard-optimizer=3 keep-gathered=all": 1.03, "mesh=tp:2": 1.03, "accumulate=2 buckets=none": 1.03}


def waste(tool, model, keys):
    """Of the step: its arena by what lives."""
    command = [tool, model, "--train=loss=output optimizer=adam global-batch=8", f"--distribute={keys}", "--specialize-world=ranks=2",
               "--compile", "--remarks", "--remarks-filter=lower-plan-memory", "-o", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = re.search(r"step: the arena has (\d+) bytes for \d+ buffers: (\d+) of them live", done.stderr)
    if done.returncode or not told:
        sys.exit(f"{model.name} {keys}: {done.stderr}")
    return int(told[1]) / int(told[2])


def main():
    tool, folder = sys.argv[1:]
    models = sorted(pathlib.Path(folder).glob("*.onnx"))
    cases = list(itertools.product(models, WAYS))
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        wasted = list(threads.map(lambda case: waste(tool, *case), cases))
    over = [f"{model.name} \"{keys}\": {part:.3f}" for (model, keys), part in zip(cases, wasted) if part > WAYS[keys]]
    print(f"{len(models)} models in {len(WAYS)} ways: at most {max(wasted):.3f} of what lives")
    sys.exit("; ".join(over) if over else 0)


if __name__ == "__main__":
    main()
