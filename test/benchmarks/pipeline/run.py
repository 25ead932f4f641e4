"""Times --distribute with fusion beside parsing and printing of the same file by a stock mlir-opt.

    run.py --dist-opt FILE --mlir-opt FILE --plugin FILE [--operations 10000 100000] [--rounds 5] [--options "..."]

Both run in turns. A figure is the median over rounds; growth is how much longer the largest program takes than the smallest, for
each time that it is larger: 1 is linear.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

import generate


def seconds(command):
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - begin


def measure(arguments, folder, operations):
    program, out = folder / "program.mlir", folder / "out.mlir"
    generate.write(operations, program)
    plugin = [f"--load-dialect-plugin={arguments.plugin}"]
    contestants = {"stock": [arguments.mlir_opt, *plugin, program, "-o", out],
                   "ours": [arguments.dist_opt, program, *arguments.passes, "-o", out]}
    samples = {name: [] for name in contestants}
    for _ in range(arguments.rounds):
        for name, command in contestants.items():
            samples[name].append(seconds(command))
    return {name: statistics.median(values) for name, values in samples.items()}


def report(figures):
    print("| operations | parse and print by mlir-opt, s | --distribute with fusion, s | ratio |\n| --- | --- | --- | --- |")
    for operations, figure in figures.items():
        print(f"| {operations:,} | {figure['stock']:.3f} | {figure['ours']:.3f} | {figure['ours'] / figure['stock']:.2f} |")
    smallest, largest = min(figures), max(figures)
    for name in ("stock", "ours"):
        growth = figures[largest][name] / figures[smallest][name] / (largest / smallest)
        print(f"growth, {name}: {growth:.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dist-opt", required=True)
    parser.add_argument("--mlir-opt", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--operations", type=int, nargs="+", default=[10000, 100000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passes", nargs="+", default=["--distribute"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report({count: measure(arguments, pathlib.Path(folder), count) for count in arguments.operations})


if __name__ == "__main__":
    main()
