"""Prints what a step of packed bags plans for its temporary buffers, for a batch and one twice as large.

    packed_bags_memory.py DIST_OPT... FOLDER            ends with 1 if twice the bags take more than twice the memory, and a bit

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import subprocess
import sys

import numpy as np

import arena_bytes
import exporter_forms
import numpy_models
from numpy_models import Graph, floats

BATCHES = (400, 800)


def main():
    *dist_opt, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for reduction in ("ReduceSum", "ReduceMean", "ReduceMax"):
        graph = Graph(17)
        exporter_forms.embedding_bag(graph, reduction)
        lists = {"i": np.zeros((BATCHES[0], 3), np.int64), "n": np.full(BATCHES[0], 3)}
        numpy_models.write(folder / "model.onnx", graph, lists, {"table": floats(7, 4)})
        sizes = []
        for batch in BATCHES:
            compiled = folder / f"{batch}.mlir"
            subprocess.run([*dist_opt, folder / "model.onnx", f"--train=loss=output optimizer=sgd global-batch={batch}", "--compile", "-o", compiled], check=True)
            sizes.append(arena_bytes.bytes_of(compiled))
        is_linear = sizes[1] < 2.1 * sizes[0]
        failed |= not is_linear
        print(f"{reduction}: {'linear' if is_linear else 'more'}, {sizes[0]} and {sizes[1]} bytes")
    sys.exit(failed)


if __name__ == "__main__":
    main()
