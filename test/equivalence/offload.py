"""Trains with states of optimizers in a file (dist-run --offload) and without, and compares the bits of all variables and losses.

    offload.py FOLDER     which has wide.onnx and wide.npz

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

CASES = [("adam", 1, ""), ("momentum", 1, ""), ("adam", 2, ""), ("adam", 2, "shard-optimizer=1"), ("momentum", 2, "shard-optimizer=3"),
         ("adam", 2, "shard-optimizer=3 accumulate=2"), ("lamb", 1, ""), ("adam", 1, "", "4500KiB"), ("adam", 2, "", "5MiB")]

LIMITS = 12


def train(folder, optimizer, ranks, distribute, *more):
    command = ["dist-run", "-n", str(ranks), folder / "wide.onnx", "--dataset", folder / "wide.npz", f"--distribute={distribute}",
               f"--train=loss=softmax-cross-entropy optimizer={optimizer} learning-rate=0.01 global-batch=16", *more]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{command}: status {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stdout


def losses(path):
    return [json.loads(line).get("loss") for line in path.read_text().splitlines()]


def compare_steps(folder, optimizer, ranks, distribute, limit=None):
    """With a limit a part of the states is in the file."""
    saved, told = [], []
    for name, more in (("memory", []), ("file", [f"--offload={folder}"] + ([f"--memory={limit}"] if limit else []))):
        save, metrics = folder / f"{name}.safetensors", folder / f"{name}.jsonl"
        text = train(folder, optimizer, ranks, distribute, "--steps", "4", "--save", save, "--metrics", metrics, *more)
        if ("states in files" in text) != bool(more):
            sys.exit(f"states lie where nobody asked for:\n{text}")
        if limit and more and "states in files  3.0 MiB" in text:
            sys.exit(f"the limit of {limit} has room for states:\n{text}")
        saved.append(save.read_bytes())
        told.append(losses(metrics))
    where = f"{optimizer} on {ranks} rank{'s' if ranks > 1 else ''}{', ' if distribute else ''}{distribute}" + (
        f", within {limit}" if limit else "")
    if saved[0] != saved[1] or told[0] != told[1] or len(told[0]) < 4:
        sys.exit(f"{where}: other bits")
    print(f"{where}: equal bits")


def compare_checkpoints(folder):
    """Four steps at once in memory; two and two with states in a file, by a run directory and by --save and --load."""
    offload = f"--offload={folder}"
    whole, parts, loaded = (folder / f"{name}.safetensors" for name in ("whole", "parts", "loaded"))
    keys = ("adam", 2, "shard-optimizer=1")
    train(folder, *keys, "--steps", "4", "--shuffle=false", "--save", whole)
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    train(folder, *keys, "--steps", "2", "--shuffle=false", "--model-dir", run, "--save-checkpoints-steps", "1", offload)
    train(folder, *keys, "--steps", "4", "--shuffle=false", "--model-dir", run, "--save", parts, offload)
    train(folder, *keys, "--steps", "2", "--shuffle=false", "--save", folder / "half.safetensors", offload)
    train(folder, *keys, "--steps", "2", "--shuffle=false", "--load", folder / "half.safetensors", "--save", loaded, offload)
    if not whole.read_bytes() == parts.read_bytes() == loaded.read_bytes():
        sys.exit("other bits after a checkpoint")
    print("equal bits after a checkpoint, and from a file")


KIB = {"B": 1 / 1024, "KiB": 1, "MiB": 1024}


def sizes(text, row):
    """The sizes in a row of a summary, in KiB."""
    line = re.search(rf"^ *{row} +(.*)$", text, re.MULTILINE)
    return [float(number) * KIB[unit] for number, unit in re.findall(r"([0-9.]+) (B|KiB|MiB)\b", line[1])] if line else [0]


def sweep_limits(folder):
    """Limits from what states in the file need to what they need in memory."""
    def plan(*more):
        text = train(folder, "adam", 1, "", "--dry-run", *more)
        return sizes(text, "memory")[0], sizes(text, "states in files")[0]

    offload = f"--offload={folder}"
    largest, smallest = plan()[0], plan(offload)[0]
    in_file = []
    for part in range(LIMITS):
        limit = int(smallest + (largest - smallest) * (part + 1) / LIMITS) + 64  # what is said is rounded
        needed, moved = plan(offload, f"--memory={limit}KiB")
        if needed > limit + 64:
            sys.exit(f"{needed} KiB are needed where {limit} KiB are allowed")
        in_file.append(moved)
    if in_file != sorted(in_file, reverse=True) or len(set(in_file)) < LIMITS / 2 or in_file[-1] != 0:
        sys.exit(f"with larger and larger limits the file has {in_file} KiB")
    print(f"{LIMITS} limits are met, the larger ones with less in the file")


def main():
    folder = pathlib.Path(sys.argv[1])
    for case in CASES:
        compare_steps(folder, *case)
    compare_checkpoints(folder)
    sweep_limits(folder)


main()
