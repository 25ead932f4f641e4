"""What of a training step is exposed by loading its batch, with loading beside the step before it and without (--no-load-ahead).

    run.py --dist-run FILE [--ranks 1 2] [--casts false true] [--samples 8192] [--width 3072] [--hidden 128] [--batch 512] [--rounds 7] [--steps 60]

An MLP width - hidden - 10 on samples of `width` f32, as photographs of 32 x 32 pixels are; with a cast they lie in the file as u8. One thread a rank. Contestants take
turns; a step's time is what a run's `time` says of all but the first, and what is exposed is its row `data`: for how long steps waited for their batch. A figure is the
median over rounds, and the ratio the median of the rounds' own ratios. The variables of all runs on as many ranks must be the same, bit for bit.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def write_workload(folder, options):
    chance = np.random.default_rng(1)
    sizes = [options.width, options.hidden, 10]
    weights = [numpy_helper.from_array(chance.normal(0, size ** -0.5, (size, out)).astype(np.float32), f"w{number}")
               for number, (size, out) in enumerate(zip(sizes, sizes[1:]))]
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["y0"]), helper.make_node("Relu", ["y0"], ["x1"]),
             helper.make_node("MatMul", ["x1", "w1"], ["logits"])]
    graph = helper.make_graph(nodes, "photographs", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", options.width])],
                              [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 10])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    values = chance.integers(0, 256, (options.samples, options.width), dtype=np.uint8)
    label = chance.integers(0, 10, options.samples)
    np.savez(folder / "u8.npz", x=values, label=label)
    np.savez(folder / "f32.npz", x=values.astype(np.float32), label=label)


def seconds(pattern, text, what):
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        sys.exit(f"the summary does not say {what}:\n{text}")
    return float(found[1])


def run(folder, options, ranks, casts, is_ahead):
    """Seconds a step, those of them that it waited for its batch, and the variables."""
    saved = folder / "saved.safetensors"
    recipe = f"loss=softmax-cross-entropy optimizer=sgd learning-rate=0.0001 global-batch={options.batch}"
    command = [options.dist_run, "-n", ranks, folder / "model.onnx", f"--train={recipe}", "--distribute", "--dataset",
               folder / ("u8.npz" if casts else "f32.npz"), "--steps", options.steps, "--threads", 1, "--save", saved,
               *([] if is_ahead else ["--no-load-ahead"])]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, "TUTTI_CACHE_DIR": str(folder / "cache")})
    if done.returncode:
        sys.exit(done.stderr)
    step = seconds(r"^  time +.* the first step, ([0-9.]+) s the others", done.stdout, "how long it trained") / (options.steps - 1)
    exposed = seconds(r"^    data +([0-9.]+) s", done.stdout, "how long steps waited for data") / options.steps
    if ("of loading beside the steps" in done.stdout) != is_ahead:
        sys.exit(f"loading was not where it should be:\n{done.stdout}")
    return step, exposed, saved.read_bytes()


def print_row(ranks, casts, rounds):
    def median(is_ahead, index):
        return statistics.median(figures[is_ahead][index] for figures in rounds)

    ratios = [figures[False][0] / figures[True][0] for figures in rounds]
    cells = [ranks, "u8" if casts else "f32"]
    for is_ahead in (False, True):
        cells += [f"{1e3 * median(is_ahead, 0):.2f}", f"{1e2 * statistics.median(f[is_ahead][1] / f[is_ahead][0] for f in rounds):.1f} %"]
    cells += [f"{statistics.median(ratios):.2f} x", f"{min(ratios):.2f} – {max(ratios):.2f}"]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-run", required=True, type=pathlib.Path)
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--casts", nargs="+", default=["false", "true"], choices=["false", "true"])
    parser.add_argument("--samples", type=int, default=8192)
    parser.add_argument("--width", type=int, default=3072)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=60)
    options = parser.parse_args()
    options.dist_run = options.dist_run.resolve()
    print("| ranks | data in the file | step without, ms | of it for its batch | step with loading ahead, ms | of it for its batch | "
          "faster by (median of ratios) | range over rounds |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_workload(folder, options)
        for ranks in options.ranks:
            for casts in (word == "true" for word in options.casts):
                rounds, variables = [], set()
                for number in range(options.rounds):
                    figures = {}
                    for is_ahead in ((False, True), (True, False))[number % 2]:
                        step, exposed, saved = run(folder, options, ranks, casts, is_ahead)
                        figures[is_ahead] = (step, exposed)
                        variables.add(saved)
                    rounds.append(figures)
                if len(variables) != 1:
                    sys.exit(f"{ranks} ranks: the variables differ")
                print_row(ranks, casts, rounds)


if __name__ == "__main__":
    main()
