#!/usr/bin/python3
"""Times the search of --distribute=auto, and the memory of the program that searches, on one core.

    run.py --dist-opt FILE [--dist-opt OTHER ...] [--models gpt2 bert ...] [--clusters 8 8x8 8x8x8] [--batch 4] [--rounds 1]

The models are those of test/models/families in full size, and llama in the size 8b without weights. A cluster 8x8x8 has
512 ranks, 8 on each node. Each rank has --batch samples. Several dist-opt take turns, so that drift of the machine meets
all. `search` is the wall-clock time of the pass distribute-search, which also applies the keys that it chose; `processor` is
what the whole run took of the processor. A figure is the median over rounds. With two dist-opt the last column says whether they
chose the same keys for the same time.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

FAMILIES = pathlib.Path(__file__).resolve().parents[2] / "models" / "families"
MODELS = {"gpt2": ("full", "inside"), "bert": ("full", "inside"), "resnet": ("full", "inside"), "dlrm": ("full", "none"),
          "llama": ("8b", "none")}


def write_cluster(shape, folder):
    """The file of nodes of 8 ranks each, and how many ranks there are."""
    sizes = [int(size) for size in shape.split("x")]
    nodes = 1
    for size in sizes[1:]:
        nodes *= size
    levels = {"node": {"transport": "memory", "latency": 1e-6, "bandwidth": 1e10}}
    if nodes > 1:
        levels["network"] = {"transport": "messages", "latency": 2e-5, "bandwidth": 1e9}
    path = folder / f"{shape}.json"
    path.write_text(json.dumps({
        "nodes": nodes, "ranks_per_node": sizes[0], "cores_per_node": sizes[0], "levels": levels,
        "compute": {"matmul": 5e10, "convolution": 3e10, "loop": 3e9, "memory": 1e10, "kernel_overhead": 1e-6}}))
    return path, nodes * sizes[0]


def search(program, model, cluster, ranks, batch, core):
    """Seconds of the search, seconds of the processor, MiB at the peak, what was chosen."""
    command = [program, model, f"--train=loss=output optimizer=adam learning-rate=0.001 global-batch={batch * ranks}",
               f"--distribute=auto cluster={cluster}", "--mlir-disable-threading", "--mlir-timing", "--mlir-timing-display=list",
               "--remarks=text", "--remarks-filter=distribute-search", "-o", "/dev/null"]
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen([str(word) for word in command], stdout=said, stderr=said,
                                 preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        _, status, usage = os.wait4(child.pid, 0)
        said.seek(0)
        text = said.read()
    found = re.search(r"([0-9.]+) \( *[0-9.]+%\) +DistributeSearchPass", text)
    chosen = re.search(r"step: chose (.*?: [0-9.]+ ms) a step.*?, ([0-9]+) of them priced", text)
    if status != 0 or not found or not chosen:
        sys.exit(f"{program} finds nothing:\n{text}")
    return float(found[1]), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, chosen.groups()


def measure(arguments, model, name, shape, folder):
    cluster, ranks = write_cluster(shape, folder)
    runs = {program: [] for program in arguments.dist_opt}
    for _ in range(arguments.rounds):
        for program, own in runs.items():
            own.append(search(program, model, cluster, ranks, arguments.batch, arguments.core))
    choices = {own[0][3][0] for own in runs.values()}
    for program, own in runs.items():
        seconds, processor, peak = (statistics.median(column) for column in list(zip(*own))[:3])
        same = "" if len(runs) == 1 else "yes" if len(choices) == 1 else "no: " + own[0][3][0]
        print(f"| {name} | {shape} | {program} | {own[0][3][1]} | {seconds:.2f} | {processor:.2f} | {peak:.0f} | {same} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-opt", action="append", required=True)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--clusters", nargs="+", default=["8", "8x8", "8x8x8"])
    parser.add_argument("--batch", type=int, default=4, help="samples of a rank")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--core", type=int, default=0)
    arguments = parser.parse_args()
    print("| model | ranks | program | priced | search, s | processor, s | peak memory, MiB | same choice |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for family in arguments.models:
            size, weights = MODELS[family]
            model = folder / f"{family}.onnx"
            subprocess.run([sys.executable, FAMILIES / "make_families.py", family, size, model, "--weights", weights], check=True)
            for shape in arguments.clusters:
                measure(arguments, model, f"{family} {size}", shape, folder)
            model.unlink()


if __name__ == "__main__":
    main()
