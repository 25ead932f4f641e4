#!/usr/bin/python3
"""Trains a model family in full size (test/models/families) divided in several ways, and compares with one rank.

    run.py --dist-run FILE [--families llama gpt2] [--size full] [--steps 20] [--batch 4] [--memory SIZE]

For each way of dividing: the largest difference of a loss of all steps from that of one rank, what a rank keeps of variables and
of the optimizer's states, its planned memory, what it gives to collectives in a step, and the median time of a step. Ends with 1 if a
loss differs by more than --tolerance. With --memory, one rank must be refused that memory, and the others train within it.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FAMILIES = pathlib.Path(__file__).resolve().parents[2] / "models" / "families"
ONE_RANK = "one rank"
WAYS = {
    ONE_RANK: (1, None),
    "batch": (4, ""),
    "batch, states": (4, "shard-optimizer=1"),
    "batch, variables (ZeRO-3)": (4, "shard-optimizer=3"),
    "batch and model, 2 x 2": (4, "mesh=dp:2,tp:2"),
    "batch and model, 2 x 2, two micro-batches": (4, "mesh=dp:2,tp:2 accumulate=2"),
    "model": (4, "mesh=tp:4"),
}
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
SIZE = r"([\d.]+) (B|KiB|MiB|GiB)"


def bytes_of(pattern, text):
    found = re.search(pattern.replace("SIZE", SIZE), text)
    if not found:
        sys.exit(f"dist-run tells nothing like '{pattern}':\n{text}")
    return float(found.group(1)) * UNITS[found.group(2)]


class Told:
    """What dist-run said of a run: losses, and the lines of its summary."""

    def __init__(self, losses, text, steps):
        self.losses = losses
        self.variables = bytes_of("variables +SIZE trainable", text)
        self.states = bytes_of("trainable.*?, SIZE state", text)
        self.planned = bytes_of("peak of a rank, SIZE of it planned", text)
        sends = "communication" in text
        self.exchanged = bytes_of("communication .*; SIZE a rank", text) / steps if sends else 0.0
        self.median = re.search(r"median ([\d.]+ m?s)", text).group(1)


def train(arguments, folder, model, ranks, keys, memory):
    """Of one way: what was told, or the text of a refusal."""
    metrics = folder / "metrics.jsonl"
    metrics.unlink(missing_ok=True)
    recipe = f"loss=output optimizer=adamw weight-decay=0.01 learning-rate=0.0001 global-batch={arguments.batch}"
    command = [arguments.dist_run, "-n", ranks, model.with_suffix(".onnx"), f"--train={recipe}", "--dataset", model.with_suffix(".npz"),
               "--shuffle=false", "--steps", arguments.steps, "--threads", 1, "--metrics", metrics]
    command += [f"--distribute={keys}"] if keys else []
    command += [f"--memory={memory}"] if memory else []
    done = subprocess.run([str(word) for word in command], env=dict(os.environ, TUTTI_CACHE_DIR=str(folder / "cache")),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        return done.stdout
    losses = [json.loads(line)["loss"] for line in metrics.read_text().splitlines()]
    if len(losses) != arguments.steps:
        sys.exit(f"{len(losses)} losses of {arguments.steps} steps:\n{done.stdout}")
    return Told(losses, done.stdout, arguments.steps)


def spell(size):
    return f"{size / 2**20:.1f}"


def row_of(name, way, told, reference):
    difference = max(abs(a - b) for a, b in zip(told.losses, reference.losses))
    keys = f"`{way[1]}`" if way[1] else ""
    print(f"| {name} | {keys} | {way[0]} | {difference:.1e} | {spell(told.variables)} | {spell(told.states)} | {spell(told.planned)} | "
          f"{spell(told.exchanged)} | {told.median} |", flush=True)
    return difference


def measure(arguments, folder, family):
    model = folder / family
    subprocess.run([sys.executable, FAMILIES / "make_families.py", family, arguments.size, model.with_suffix(".onnx"), "--data",
                    model.with_suffix(".npz"), "--samples", str(2 * arguments.batch), "--weights", "beside"], check=True)
    print(f"\n{family} {arguments.size}, {arguments.batch} samples a step, {arguments.steps} steps\n\n| divided | keys | ranks | largest "
          "difference of a loss | variables of a rank, MiB | states, MiB | planned memory, MiB | given to collectives in a step, MiB | step |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    reference = train(arguments, folder, model, *WAYS[ONE_RANK], None)
    if isinstance(reference, str):
        sys.exit(reference)
    row_of(ONE_RANK, WAYS[ONE_RANK], reference, reference)
    if arguments.memory:
        refused = train(arguments, folder, model, *WAYS[ONE_RANK], arguments.memory)
        if not isinstance(refused, str):
            sys.exit(f"one rank trains {family} within {arguments.memory}; give less --memory")
    worst = 0.0
    for name, way in WAYS.items():
        if name == ONE_RANK or (arguments.ways and name not in arguments.ways):
            continue
        told = train(arguments, folder, model, *way, arguments.memory)
        if isinstance(told, str):
            last = [line for line in told.splitlines() if "error" in line] or [told]
            print(f"| {name} | `{way[1]}` | {way[0]} | refused: {last[0]} | | | | | |", flush=True)
            continue
        worst = max(worst, row_of(name, way, told, reference))
    if arguments.memory:
        print(f"\nOne rank is refused {arguments.memory}:\n\n```\n" + "\n".join(refused.strip().splitlines()[-6:]) + "\n```")
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-run", required=True, type=pathlib.Path)
    parser.add_argument("--families", nargs="+", default=["llama", "gpt2"], choices=["llama", "gpt2", "bert"])
    parser.add_argument("--size", default="full")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--memory", help="what each rank may use, as dist-run takes it")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), help="only these, beside one rank")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    arguments = parser.parse_args()
    arguments.dist_run = arguments.dist_run.resolve()
    worst = 0.0
    for family in arguments.families:
        with tempfile.TemporaryDirectory() as name:
            worst = max(worst, measure(arguments, pathlib.Path(name), family))
    if worst > arguments.tolerance:
        sys.exit(f"a loss differs from that of one rank by {worst:.1e}, more than {arguments.tolerance}")


if __name__ == "__main__":
    main()
