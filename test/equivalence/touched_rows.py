"""Click data by what its steps touch, and what servers tell of them.

    touched_rows.py write FOLDER               same.npz: all steps touch the same rows; apart.npz: no two steps share one
    touched_rows.py pulled METRICS             rows that workers were sent, and how often they pulled
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import sys

import numpy

STEPS, BATCH = 15, 64


def write(folder):
    random = numpy.random.default_rng(3)
    label = random.integers(0, 2, STEPS * BATCH)
    block = numpy.arange(STEPS * BATCH) // BATCH * BATCH
    for name, begin in (("same", 0 * block), ("apart", block)):
        user = begin + numpy.arange(STEPS * BATCH) % BATCH  # each row of the block in every step: all change
        items = begin[:, None] + random.integers(0, BATCH, (STEPS * BATCH, 3))
        numpy.savez(folder / f"{name}.npz", user=user, items=items, label=label)


def pulled(metrics):
    tables = json.loads(pathlib.Path(metrics).read_text().splitlines()[-1])["servers"]
    users = [table for table in tables if table["table"] == "user.weight"]
    print(f"{sum(table['pulled_rows'] for table in users)} rows in {sum(table['pulls'] for table in users)} pulls")


if __name__ == "__main__":
    {"write": lambda: write(pathlib.Path(sys.argv[2])), "pulled": lambda: pulled(sys.argv[2])}[sys.argv[1]]()
