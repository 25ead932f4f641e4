"""Times rows on servers, here and in Redis and PyTorch: rows a second that one worker pulls and pushes.

    run.py --programs FOLDER [--servers 1 2] [--batch 8192] [--rows 1000000] [--rounds 5] [--seconds 1]

In each step the worker pulls 64-byte rows (16 f32), all distinct, and pushes as many gradients, until servers have applied them; in
Redis, which knows no optimizers, it pulls rows, updates them and writes them back (MGET and MSET in pipelines). Contestants take turns in one run, so that
drift of the machine meets all of them. A figure is the median over rounds of the median over steps. All check that rows become what was pushed.
Processes of one machine exchange rows as each contestant does it best: shared memory here and in torch.distributed.rpc, a local socket
in Redis. Over TCP the loopback device stands for a network.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from torch_environment import torch_environment  # noqa: E402
WIDTH = 16
WAYS = {"memory": "processes", "tcp": "tcp"}
RECIPE = "loss=output optimizer=sgd learning-rate=0.5 global-batch=256"


def write_model(path, rows):
    """A table, of which only rows are looked up, and a weight that stays with the workers."""
    table = numpy_helper.from_array(np.zeros((rows, WIDTH), np.float32), "table")
    nodes = [helper.make_node("Gather", ["table", "index"], ["row"], name="lookup"),
             helper.make_node("MatMul", ["row", "weight"], ["score"], name="score"),
             helper.make_node("ReduceMean", ["score"], ["loss"], name="loss", keepdims=0)]
    weight = numpy_helper.from_array(np.ones((WIDTH, 1), np.float32), "weight")
    graph = helper.make_graph(nodes, "rows", [helper.make_tensor_value_info("index", TensorProto.INT64, ["N"])],
                              [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], [table, weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


class Tutti:
    def __init__(self, programs, folder, rows):
        """Compiles what workers and servers run, by a run of one step."""
        self.name, self.programs = "Tutti", programs
        model, data, zeros, cache = (folder / name for name in ("rows.onnx", "rows.npz", "zeros", "cache"))
        write_model(model, rows)
        np.savez(data, index=np.zeros(256, np.int64))
        with open(zeros, "wb") as file:
            file.truncate(4 * WIDTH * rows)
        subprocess.run([str(word) for word in (
            programs / "dist-run", model, "--dataset", data, "--steps", 1, f"--train={RECIPE}", "--distribute=serve=table",
            "--local-cluster", "ps=1,worker=1")], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=dict(os.environ, TUTTI_CACHE_DIR=str(cache)))
        compiled = list(cache.glob("**/*.so"))
        workers, = (path for path in compiled if b'"tables":[{' in path.read_bytes())
        update, = (path for path in compiled if path != workers)
        self.files = [programs / "dist-worker", workers, update, zeros]

    def rates(self, way, arguments):
        return told_by([self.programs / "servers-benchmark-tutti", "--way", way, *arguments, *self.files])


class Redis:
    """Servers of its own, without files, ended when the figures are there."""

    def __init__(self, programs, folder):
        self.name, self.program, self.folder = "Redis", programs / "servers-benchmark-redis", folder

    def start(self, way, number):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        path = self.folder / f"redis-{number}"
        where = ["--port", str(port), "--bind", "127.0.0.1"] if way == "tcp" else ["--port", "0", "--unixsocket", str(path)]
        process = subprocess.Popen(["redis-server", *where, "--save", "", "--appendonly", "no", "--dir", str(self.folder)],
                                   stdout=subprocess.DEVNULL)
        return process, f"127.0.0.1:{port}" if way == "tcp" else str(path)

    @staticmethod
    def await_answer(address):
        is_path = address.startswith("/")
        deadline = time.monotonic() + 10
        while True:
            with socket.socket(socket.AF_UNIX if is_path else socket.AF_INET) as probe:
                try:
                    return probe.connect(address if is_path else ("127.0.0.1", int(address.rsplit(":")[-1])))
                except OSError:
                    if time.monotonic() > deadline:
                        raise
            time.sleep(0.05)

    def rates(self, way, arguments):
        servers = int(arguments[arguments.index("--servers") + 1])
        started = [self.start(way, number) for number in range(servers)]
        try:
            for _, address in started:
                self.await_answer(address)
            return told_by([self.program, "--way", way, *arguments, *[address for _, address in started]])
        finally:
            for process, _ in started:
                process.terminate()
                process.wait()


class Torch:
    def __init__(self, name, library, ways):
        self.name, self.library, self.ways = name, library, ways

    def rates(self, way, arguments):
        if way not in self.ways:
            return None
        return told_by([sys.executable, HERE / "torch_rows.py", "--library", self.library, "--way", way, *arguments],
                       env=torch_environment())


def told_by(command, **options):
    output = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True, **options)
    return json.loads(output.stdout)


def contestants_of(programs, folder, rows):
    found = [Tutti(programs, folder, rows)]
    if (programs / "servers-benchmark-redis").exists() and shutil.which("redis-server"):
        found.append(Redis(programs, folder))
    else:
        print("without Redis: install redis-server and libhiredis-dev, and build servers-benchmark", file=sys.stderr)
    found += [Torch("PyTorch RPC (TensorPipe)", "rpc", ("memory", "tcp")), Torch("PyTorch Gloo, send and receive", "gloo", ("tcp",))]
    return found


def millions(rates, kind):
    return statistics.median(rate[kind] for rate in rates) / 1e6


def lines_of(servers, way, figures):
    """Of a table: one a contestant; ratios are of the first to it."""
    first = millions(next(iter(figures.values())), "both")
    for name, rates in figures.items():
        ranges = [rate["both"] / 1e6 for rate in rates]
        yield (f"| {servers} | {way} | {name} | {millions(rates, 'pulled'):.2f} | {millions(rates, 'pushed'):.2f} | "
               f"{millions(rates, 'both'):.2f} | {min(ranges):.2f} – {max(ranges):.2f} | {first / millions(rates, 'both'):.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--servers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    arguments = parser.parse_args()
    print("| servers | way | contestant | pulled, M rows/s | pushed, M rows/s | step, M rows/s | range over rounds | Tutti is faster by |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as name:
        contestants = contestants_of(arguments.programs.resolve(), pathlib.Path(name), arguments.rows)
        for servers in arguments.servers:
            for way in WAYS:
                figures = {}
                words = ["--servers", str(servers), "--rows", str(arguments.rows), "--batch", str(arguments.batch),
                         "--seconds", str(arguments.seconds)]
                for _ in range(arguments.rounds):
                    for contestant in contestants:
                        if rates := contestant.rates(way, words):
                            figures.setdefault(contestant.name, []).append(rates)
                print("\n".join(lines_of(servers, WAYS[way], figures)), flush=True)


if __name__ == "__main__":
    main()
