"""Checks that a rank holds weights once: rank_memory.py DIST_RUN WEIGHTS_MODEL.PY FOLDER

What a rank has beyond the memory that is planned, variables among it, must not grow with the weights. Sums of micro-batches are
as large as these, so that a step needs more than the start, where initial values are read.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import subprocess
import sys

import numpy as np

MIB = {"KiB": 1 / 1024, "MiB": 1, "GiB": 1024}


def beyond_plan(dist_run, make, folder, size):
    model, data = folder / "model.onnx", folder / "data.npz"
    subprocess.run([sys.executable, make, str(size), "inside", model], check=True)
    np.savez(data, x=np.ones([4, size], np.float32))
    run = subprocess.run([dist_run, "-n", "1", model, "--dataset", data, "--steps", "1",
                          "--train=loss=output optimizer=sgd learning-rate=0.1 global-batch=4", "--distribute=accumulate=2",
                          "--on-non-finite=ignore"],
                         capture_output=True, text=True)
    said = re.search(r"memory +([0-9.]+) (.iB) peak of a rank, ([0-9.]+) (.iB) of it planned", run.stdout + run.stderr)
    if run.returncode != 0 or not said:
        sys.exit(f"dist-run ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    return float(said[1]) * MIB[said[2]] - float(said[3]) * MIB[said[4]]


def main():
    dist_run, make, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    small, large = (beyond_plan(dist_run, make, folder, size) for size in (128, 1024))
    if large > small + 32:
        sys.exit(f"64 MiB of weights take {large:.0f} MiB beyond the plan, 1 MiB of them {small:.0f} MiB")


if __name__ == "__main__":
    main()
