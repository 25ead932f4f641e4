"""Times --distribute with fusion beside parsing and printing of the same file by a stock mlir-opt.

    run.py --dist-opt FILE [--dist-opt FILE] --mlir-opt FILE --plugin FILE [--operations 10000 100000] [--rounds 5]
           [--passes "..." | --keys [KEY=VALUE ...]]

All run in turns. A figure is the median over rounds; growth is how much longer the largest program takes than the smallest, for
each time that it is larger: 1 is linear. With --keys each key of test/zoo/sweep.py, or each word that is given, is timed alone on
the largest program and on a model of as many operations with states, normalizations and tables, for 4 ranks, as a ratio to what
mlir-opt takes for the same file; a second --dist-opt is put beside the first.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import generate

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test/growth"))
import growth  # noqa: E402
import layers  # noqa: E402

OPERATIONS_OF_A_LAYER = 16  # of layers.py, with its updates


def seconds(command):
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - begin


def measure(arguments, folder, operations):
    program, out = folder / "program.mlir", folder / "out.mlir"
    generate.write(operations, program)
    plugin = [f"--load-dialect-plugin={arguments.plugin}"]
    contestants = {"stock": [arguments.mlir_opt, *plugin, program, "-o", out],
                   "ours": [arguments.dist_opt[0], program, *arguments.passes, "-o", out]}
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


def write_programs(arguments, folder):
    """The largest program, and models of as many operations, by name; the models with growth's recipes."""
    operations = max(arguments.operations)
    generate.write(operations, folder / "deep MLP.mlir")
    layers.write(operations // OPERATIONS_OF_A_LAYER, folder / "layers.onnx")
    for name, recipe in growth.RECIPES.items():
        subprocess.run([arguments.dist_opt[0], folder / "layers.onnx", f"--train={recipe}", "-o", folder / f"layers, {name}.mlir"], check=True)
    return sorted(folder.glob("*.mlir"))


def accepts(dist_opt, program, keys):
    command = [dist_opt, program, f"--distribute={keys}", "--specialize-world=ranks=4", "-o", "/dev/null"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def time_keys(arguments, folder):
    plugin = [f"--load-dialect-plugin={arguments.plugin}"]
    print("| program | keys | mlir-opt, s |" + " dist-opt, s | ratio |" * len(arguments.dist_opt))
    print("| --- | --- | --- |" + " --- | --- |" * len(arguments.dist_opt))
    for program in write_programs(arguments, folder):
        for keys in arguments.keys or [growth.completed(key) for key in ["", *growth.singles()]]:
            if not accepts(arguments.dist_opt[0], program, keys):
                continue
            commands = [[arguments.mlir_opt, *plugin, program, "-o", folder / "out"]]
            commands += [[tool, program, f"--distribute={keys}", "--specialize-world=ranks=4", "-o", folder / "out"] for tool in arguments.dist_opt]
            rounds = [[seconds(command) for command in commands] for _ in range(arguments.rounds)]
            stock, *ours = (statistics.median(times) for times in zip(*rounds))
            print(f"| {program.stem} | `{keys}` | {stock:.2f} |" + "".join(f" {time:.2f} | {time / stock:.2f} |" for time in ours), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dist-opt", required=True, action="append")
    parser.add_argument("--mlir-opt", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--operations", type=int, nargs="+", default=[10000, 100000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passes", nargs="+", default=["--distribute"])
    parser.add_argument("--keys", nargs="*")
    arguments = parser.parse_args()
    if arguments.keys is not None:
        with tempfile.TemporaryDirectory() as folder:
            return time_keys(arguments, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        report({count: measure(arguments, pathlib.Path(folder), count) for count in arguments.operations})


if __name__ == "__main__":
    main()
