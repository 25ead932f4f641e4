"""Random graphs with random losses, distributed in random ways, hold --verify: they have the numbers of one device or are refused.

    fuzz_losses.py --tools BIN [--cases N] [--seed S] [--jobs N] [--losses KIND,KIND,...] [--keep FOLDER]

Kinds of losses are those of random_loss.py; all of them by default. Each case is one of: verified; hollow, where one device divides by 0, too; refused, for one of
REFUSALS; UNKNOWN, where a pass refuses it for another reason, which is a failure: a proof that does not understand what a pass made; warned, where samples are coupled and ranks that train on their own have not those of others; DIFFERENT, which is a failure and printed with its seed: `--seed S --cases 1` makes it again.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from random_loss import KINDS, RandomLoss

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAYS = {"batch-policy": ("weighted", "drop", "pad"), "shard": ("contiguous",), "accumulate": (2, 3), "shard-optimizer": (1, 2, 3),
        "buckets": ("none",), "bucket-bytes": (4, 64), "hierarchy": (2,), "overlap": ("true",), "compress": ("bf16", "f16"),
        "root": (1,), "serve": ("*",), "trainable-only": ("true",), "local-sgd": (2,)}
WARNING = "(local-sgd): the numbers are not those of one device"
FAILURES = ("DIFFERENT", "FAILED", "UNKNOWN")
REFUSALS = (r"conflicts with local-sgd=2", r"couples samples of different (micro-batches|ranks)", r"unequal parts that train on their own are not compared",
            r"conflicts with serve", r"cannot be served: (its gradient is clipped|more than its optimizer)", r"has no optimizer that could be sharded")
OPTIMIZERS = ("sgd", "sgd momentum=0.9 nesterov=true", "momentum", "adagrad", "rowwise-adagrad", "adam", "adamw", "lamb")


def random_keys(source, ranks):
    keys = {}
    for key, values in WAYS.items():
        if source.random() < 0.12:
            keys[key] = source.choice(values)
    if ranks != 4:
        keys.pop("hierarchy", None)
    if "buckets" in keys:
        keys.pop("bucket-bytes", None)
    return " ".join(f"{key}={value}" for key, value in keys.items())


def random_recipe(source):
    words = [f"loss=output optimizer={source.choice(OPTIMIZERS)} global-batch=24"]
    for word in ("clip-norm=1", "weight-decay=0.01", source.choice(("loss-scale=8", "loss-scale=dynamic"))):
        if source.random() < 0.15:
            words.append(word)
    return " ".join(words)


def run_case(seed, tools, kinds, keep):
    """What came of the case, and of which kind its loss was."""
    source = random.Random(seed)
    model = RandomLoss(source, kinds)
    recipe, ranks = random_recipe(source), source.choice((2, 3, 4))
    keys = random_keys(source, ranks)
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(keep or scratch, f"{seed}.onnx")
        model.write(path, blocks=source.randint(1, 5))
        command = [os.path.join(tools, "dist-opt"), path, f"--train={recipe}", f"--distribute={keys}", f"--verify=ranks={ranks}",
                   "-o", os.devnull]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120, check=False)
        except subprocess.TimeoutExpired:
            return model.kind, f"FAILED seed {seed}: no end after 120 s: {' '.join(command)}"
    if done.returncode == 0 and "verified on" in done.stderr:
        return model.kind, "hollow" if "are no numbers" in done.stderr else "verified"
    what = f"seed {seed} ({model.kind}): --train='{recipe}' --distribute='{keys}' -n {ranks}\n{done.stderr[-1500:]}"
    if done.returncode != 1 or "error: " not in done.stderr or "no interpreter" in done.stderr:
        return model.kind, f"FAILED {what}"
    if "is not that of one device" not in done.stderr:
        return model.kind, f"{'refused' if re.search('|'.join(REFUSALS), done.stderr) else 'UNKNOWN'} {what}"
    is_warned = model.kind in KINDS["pairs"] and WARNING in done.stderr
    return model.kind, f"{'warned' if is_warned else 'DIFFERENT'} {what}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--losses", default=",".join(KINDS))
    parser.add_argument("--keep", help="where the models stay")
    parser.add_argument("--refusals", action="store_true", help="print why cases were refused")
    arguments = parser.parse_args()
    kinds, counts, bad = arguments.losses.split(","), collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        seeds = range(arguments.seed, arguments.seed + arguments.cases)
        for kind, outcome in pool.map(lambda seed: run_case(seed, arguments.tools, kinds, arguments.keep), seeds):
            word = outcome.split()[0]
            counts[word] += 1
            if word in FAILURES:
                bad[kind] += 1
            if word in FAILURES or (arguments.refusals and word == "refused"):
                print(outcome, flush=True)
    print(f"{arguments.cases} cases: {counts['verified']} verified, {counts['hollow']} hollow, {counts['refused']} refused, {counts['warned']} warned, {counts['DIFFERENT']} different, "
          f"{counts['UNKNOWN']} refused for an unknown reason, {counts['FAILED']} failed")
    for kind, count in bad.most_common():
        print(f"  {kind}: {count}")
    # Where nearly all is refused, nothing is tested.
    sys.exit(sum(counts[word] for word in FAILURES) > 0 or counts["verified"] < counts["refused"])


if __name__ == "__main__":
    main()
