"""What asking for the rows of the next step gains: a step with serve-prefetch=true beside one without it, where rows are in the server's
memory, on a disk, and behind a slow link.

    run.py --dist-run FILE [--places memory file rocksdb link] [--rows 400000] [--batch 1024] [--lookups 16] [--hidden 512] [--rate 400] [--delay 2]
           [--cache-bytes 8388608] [--rounds 5] [--steps 80]

One worker and one server; a table of rows of 16 f32 with Adagrad, ids drawn evenly, and a network 16 * lookups - hidden - hidden - 1 after it, so that a step computes
beside what it waits for. `file` and `rocksdb` keep --cache-bytes of rows in memory. Over the link of test/network/link.py (needs root) server and worker are in
two network namespaces and talk gRPC. The two take turns; a figure is the median over rounds of the median over the second half of the steps,
and the ratio the median of the rounds' own ratios. The losses of both must be the same.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "test" / "network"))
from link import Link  # noqa: E402
WIDTH = 16
PORT = 23719


def write_workload(folder, options):
    with open(folder / "zeros", "wb") as file:
        file.truncate(4 * WIDTH * options.rows)
    table = TensorProto(name="table", data_type=TensorProto.FLOAT, dims=[options.rows, WIDTH], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "zeros"), ("offset", "0"), ("length", str(4 * WIDTH * options.rows))):
        table.external_data.add(key=key, value=value)
    chance = np.random.default_rng(1)
    sizes = [WIDTH * options.lookups, options.hidden, options.hidden, 1]
    weights = [numpy_helper.from_array(chance.normal(0, size ** -0.5, (size, out)).astype(np.float32), f"w{number}")
               for number, (size, out) in enumerate(zip(sizes, sizes[1:]))]
    shape = numpy_helper.from_array(np.array([-1, sizes[0]]), "shape")
    nodes = [helper.make_node("Gather", ["table", "ids"], ["rows"]), helper.make_node("Reshape", ["rows", "shape"], ["x0"]),
             helper.make_node("MatMul", ["x0", "w0"], ["y0"]), helper.make_node("Relu", ["y0"], ["x1"]),
             helper.make_node("MatMul", ["x1", "w1"], ["y1"]), helper.make_node("Relu", ["y1"], ["x2"]),
             helper.make_node("MatMul", ["x2", "w2"], ["logit"])]
    graph = helper.make_graph(nodes, "rows", [helper.make_tensor_value_info("ids", TensorProto.INT64, ["N", options.lookups])],
                              [helper.make_tensor_value_info("logit", TensorProto.FLOAT, ["N", 1])], [table, shape, *weights])
    (folder / "model.onnx").write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString())
    samples = options.steps * options.batch
    np.savez(folder / "data.npz", ids=chance.integers(0, options.rows, (samples, options.lookups)),
             label=chance.integers(0, 2, (samples, 1)).astype(np.float32))


class Place:
    """Where rows are, and how processes start there."""

    def __init__(self, name, folder, options):
        self.name, self.folder, self.options = name, folder, options

    def command(self, is_ahead, *more):
        options = self.options
        recipe = f"loss=bce-with-logits optimizer=adagrad learning-rate=0.01 global-batch={options.batch}"
        return [str(word) for word in (
            options.dist_run, self.folder / "model.onnx", f"--train={recipe}", "--dataset", self.folder / "data.npz", "--shuffle=false",
            "--steps", options.steps, "--threads", 1, f"--distribute=serve=table serve-prefetch={str(is_ahead).lower()}", *more)]

    def environment(self, **more):
        return {**os.environ, "TUTTI_CACHE_DIR": str(self.folder / "cache"), **more}

    def run(self, is_ahead):
        metrics = self.folder / "metrics.jsonl"
        metrics.unlink(missing_ok=True)
        (self.train_over_link if self.name == "link" else self.train_here)(is_ahead, metrics)
        lines = [line for line in map(json.loads, metrics.read_text().splitlines()) if "loss" in line]
        seconds = [self.options.batch / line["samples_per_second"] for line in lines]
        return statistics.median(seconds[len(seconds) // 2:]), [line["loss"] for line in lines]

    def train_here(self, is_ahead, metrics):
        storage = [] if self.name == "memory" else [f"--server-storage={self.name}:{self.folder}", "--server-cache-bytes", self.options.cache_bytes]
        self.finish([subprocess.Popen(self.command(is_ahead, "--local-cluster", "ps=1,worker=1", "--metrics", metrics, *storage),
                                      env=self.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)])

    def train_over_link(self, is_ahead, metrics):
        token = self.folder / "token"
        token.write_text("of this benchmark alone")
        token.chmod(0o600)
        with Link(self.options.rate, self.options.delay) as link:
            cluster = {"worker": [f"{link.address(0)}:{PORT}"], "ps": [f"{link.address(1)}:{PORT}"]}
            started = []
            for side, role in ((1, "ps"), (0, "worker")):
                task = json.dumps({"cluster": cluster, "task": {"type": role, "index": 0}})
                outputs = ["--metrics", metrics] if role == "worker" else []
                started.append(link.popen(side, self.command(is_ahead, "--server-token", token, *outputs), env=self.environment(TF_CONFIG=task),
                                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
            self.finish(started)

    @staticmethod
    def finish(processes):
        complaints = [process.communicate(timeout=900)[1] for process in processes]
        if any(process.returncode for process in processes):
            sys.exit("\n".join(complaints))


def print_row(name, rounds):
    without, ahead = (statistics.median(pair[way] for pair in rounds) for way in (0, 1))
    ratios = [pair[0] / pair[1] for pair in rounds]
    print(f"| {name} | {1e3 * without:.1f} | {1e3 * ahead:.1f} | {statistics.median(ratios):.2f} x | {min(ratios):.2f} – {max(ratios):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-run", required=True, type=pathlib.Path)
    parser.add_argument("--places", nargs="+", default=["memory", "file", "rocksdb", "link"], choices=["memory", "file", "rocksdb", "link"])
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--lookups", type=int, default=16)
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--rate", type=float, default=400, help="megabit a second of the link")
    parser.add_argument("--delay", type=float, default=2, help="milliseconds")
    parser.add_argument("--cache-bytes", type=int, default=8 << 20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--folder", help="where rows and files go (the system's folder of temporary files)")
    options = parser.parse_args()
    options.dist_run = options.dist_run.resolve()
    print("| rows are in | step without, ms | with serve-prefetch=true, ms | faster by (median of ratios) | range over rounds |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        write_workload(folder, options)
        for place in [Place(name, folder, options) for name in options.places]:
            rounds, losses = [], {}
            for number in range(options.rounds):
                figures = {}
                for is_ahead in ((False, True), (True, False))[number % 2]:
                    figures[is_ahead], losses[is_ahead] = place.run(is_ahead)
                rounds.append((figures[False], figures[True]))
            if losses[False] != losses[True]:
                sys.exit(f"{place.name}: the losses differ")
            print_row(place.name, rounds)


if __name__ == "__main__":
    main()
