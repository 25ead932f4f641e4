"""Trains tables of more and more rows on one server, and looks at every row afterwards: what a step costs, and what the server needs of memory.

    run.py --dist-run FILE [--rows 1000000 10000000 100000000] [--storage memory file] [--cache-bytes 1900000000] [--hot 500000]
           [--cold 400000] [--initial uniform:0:0] [--batch 4096] [--lookups 16] [--steps 60] [--rounds 3] [--folder FOLDER] [--times-only]

One worker, rows of 16 f32 with Adagrad's accumulator (128 bytes). Nine lookups in ten are of `--hot` rows that lie all over the table, the others of
`--cold` other ones; so each step touches as many rows whatever the table's size, and its time should not depend on it. `--cold 0` draws them from the whole
table, and without hot rows (`--hot 0`) all are. Rows begin as `serve-initial` says; `--initial given`: as a file of zeros, one value for each element. Sizes
take turns; a figure is the median over rounds of the median over the second half of the steps. The gradient of a lookup is 2^-k, so what becomes of a
row depends on how often each step looks it up: numpy computes it for all rows, and every bit of the saved table must be the same (not with `--times-only`,
and of rows that begin as zeros).
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import onnx
from onnx import TensorProto, helper

WIDTH, RATE, EPSILON = 16, np.float32(0.125), np.float32(1e-6)


def write_model(folder, rows, lookups):
    """A table of zeros in a file that takes no place."""
    with open(folder / "zeros", "wb") as file:
        file.truncate(4 * WIDTH * rows)
    table = TensorProto(name="table", data_type=TensorProto.FLOAT, dims=[rows, WIDTH], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "zeros"), ("offset", "0"), ("length", str(4 * WIDTH * rows))):
        table.external_data.add(key=key, value=value)
    nodes = [helper.make_node("Gather", ["table", "ids"], ["rows"]), helper.make_node("ReduceMean", ["rows"], ["loss"], keepdims=0)]
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["N", lookups])
    graph = helper.make_graph(nodes, "rows", [ids], [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], [table])
    (folder / "model.onnx").write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString())


def distinct(chance, rows, count):
    """So many different rows, in any order."""
    if count > rows:
        sys.exit(f"{count} different rows are not in a table of {rows}")
    found = np.unique(chance.integers(0, rows, 2 * count)) if rows > 4 * count else np.arange(rows)
    return chance.permutation(found)[:count]


def write_ids(folder, rows, options):
    chance = np.random.default_rng(rows)
    ids = chance.integers(0, rows, (options.steps * options.batch, options.lookups))
    used = distinct(chance, rows, options.hot + options.cold)
    hot, cold = used[:options.hot], used[options.hot:]
    if options.hot and options.cold:
        ids = cold[chance.integers(0, options.cold, ids.shape)]
    if options.hot:
        ids = np.where(chance.random(ids.shape) < options.share, hot[chance.integers(0, options.hot, ids.shape)], ids)
    np.savez(folder / "ids.npz", ids=ids)
    return ids


class Memory:
    """The largest resident memory of the server, and of it what is not of files: those the system may take back."""

    def __init__(self, process):
        self.process, self.peak = process, 0
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while self.process.poll() is None:
            try:
                children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
                status = pathlib.Path(f"/proc/{children[0]}/status").read_text() if children else ""
                self.peak = max([self.peak, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))])
            except OSError:
                pass
            time.sleep(0.05)


def train(folder, storage, options, saves):
    recipe = f"loss=output optimizer=adagrad learning-rate={RATE} epsilon={EPSILON:.0e} global-batch={options.batch}"
    where = ["--server-storage=memory"] if storage == "memory" else [f"--server-storage={storage}:{folder}", "--server-cache-bytes", options.cache_bytes]
    command = [options.dist_run, folder / "model.onnx", "--dataset", folder / "ids.npz", "--shuffle=false", "--steps", options.steps, f"--train={recipe}",
               "--distribute=serve=table" + (f" serve-initial={options.initial}" if options.initial != "given" else ""), "--local-cluster", "ps=1,worker=1", "--metrics", folder / "metrics.jsonl", "--threads", 1, *where,
               *(["--save", folder / "saved.safetensors"] if saves else [])]
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, TUTTI_CACHE_DIR=str(folder / "cache")))
    memory = Memory(process)
    said = process.stderr.read()
    memory.thread.join()
    if process.wait() != 0:
        sys.exit(said)
    lines = [line for line in map(json.loads, (folder / "metrics.jsonl").read_text().splitlines()) if "loss" in line]
    seconds = [options.batch / line["samples_per_second"] for line in lines]
    return statistics.median(seconds[len(seconds) // 2:]), memory.peak / 1024


def expected(ids, rows, options):
    """What each element of a row, and of its accumulator, must be."""
    table, sums = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    unit = np.float32(1 / (options.batch * options.lookups * WIDTH))
    for step in np.split(ids, options.steps):
        touched, counts = np.unique(step, return_counts=True)
        gradient = counts.astype(np.float32) * unit
        sums[touched] += gradient * gradient
        table[touched] -= RATE * gradient / (np.sqrt(sums[touched]) + EPSILON)
    return table, sums


def check(path, wanted):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
    names = [name for name in header if name != "__metadata__"]
    table, = (name for name in names if name == "table")
    state, = (name for name in names if name != "table")
    for name, values in zip((table, state), wanted):
        begin = 8 + size + header[name]["data_offsets"][0]
        saved = np.memmap(path, np.float32, "r", begin, (len(values), WIDTH))
        for first in range(0, len(values), 1 << 20):
            some = slice(first, first + (1 << 20))
            wrong = np.nonzero((saved[some] != values[some, None]).any(1))[0]
            if len(wrong):
                row = first + wrong[0]
                sys.exit(f"'{name}': {len(wrong)} rows after {first} are wrong; row {row} is {saved[row]}, not {values[row]}")


def measure(rows, storage, options):
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        write_model(folder, rows, options.lookups)
        ids = write_ids(folder, rows, options)
        seconds, peak = train(folder, storage, options, saves=not options.times_only)
        if not options.times_only:
            check(folder / "saved.safetensors", expected(ids, rows, options))
        return {"seconds": seconds, "peak": peak, "touched": len(np.unique(ids))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-run", required=True)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000, 100_000_000])
    parser.add_argument("--storage", nargs="+", default=["memory", "file"])
    parser.add_argument("--cache-bytes", type=int, default=1_900_000_000)
    parser.add_argument("--hot", type=int, default=500_000)
    parser.add_argument("--cold", type=int, default=400_000)
    parser.add_argument("--initial", default="uniform:0:0")
    parser.add_argument("--share", type=float, default=0.9, help="of lookups that are of hot rows")
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--lookups", type=int, default=16)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="where tables and files go: 13 GB for 100 million rows (the system's folder of temporary files)")
    parser.add_argument("--times-only", action="store_true", help="save nothing, and look at no row")
    options = parser.parse_args()
    if options.initial not in ("given", "uniform:0:0") and not options.times_only:
        parser.error("rows are compared with numpy's if they begin as zeros; say --times-only")
    figures = {(storage, rows): [] for storage in options.storage for rows in options.rows}
    for number in range(options.rounds):
        for (storage, rows), results in figures.items():
            results.append(measure(rows, storage, options))
            print(f"round {number + 1}, {storage}, {rows:,} rows: {results[-1]}", file=sys.stderr)
    print("| rows are in | rows of the table | rows touched | step, ms (median) | range over rounds, ms | server, MiB resident at most | of the smallest table's step |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    for (storage, rows), results in figures.items():
        median = lambda cell: statistics.median(result["seconds"] for result in figures[cell]) * 1e3
        times = [result["seconds"] * 1e3 for result in results]
        print(f"| {storage} | {rows:,} | {results[0]['touched']:,} | {median((storage, rows)):.1f} | {min(times):.1f} – {max(times):.1f} | "
              f"{max(result['peak'] for result in results):,.0f} | {median((storage, rows)) / median((storage, options.rows[0])):.2f} x |")


if __name__ == "__main__":
    main()
