"""Distributes the models in every way that docs/options.md lists, and expects that the proof of replication refuses none.

    sweep.py --tools BIN [--every K] [--jobs N]

Each key of --distribute alone and each two of them, for each model and several recipes, over 4 ranks, and proved again
after what waits for the number of ranks. What contradicts itself is refused with a reason that is known here. With
--every K only each K-th case is run; where that leaves a key or a model out, this is an error.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "test/models"
CLUSTER = ROOT / "test/passes/planning/Inputs/cluster.json"
# Values of each key that change what is done; of those that say how much, one that divides the work.
VALUES = {
    "reduction": ["sum"], "sync-batch-norm": ["false"], "batch-policy": ["drop", "pad", "weighted"], "shard": ["contiguous"],
    "sparse": ["rows", "dense"], "trainable-only": ["true"], "root": ["1"], "scale-learning-rate": ["linear"],
    "lint-errors": [], "gather-samples": ["false"], "accumulate": ["4"], "interleave": ["2"], "chunks": ["2"], "chunk-min-bytes": ["1"],
    "local-sgd": ["3"], "diloco": ["3"], "outer-rate": ["0.5"],
    "outer-momentum": ["0.5"], "noise-scale": ["true"], "shard-optimizer": ["1", "2", "3"], "keep-gathered": ["all", "5000"],
    "buckets": ["none", "auto"],
    "bucket-bytes": ["512"], "first-bucket-bytes": ["64"], "bucket-count": ["2"], "bucket-indices": ["0"],
    "bucket-percent": ["50,50"], "compress": ["f16", "bf16"], "compress-min-bytes": ["100"], "error-feedback": ["true"],
    "hierarchy": ["2", "auto"], "overlap": ["true"], "cluster": [str(CLUSTER)],
    "serve": ["auto", "*"], "serve-min-bytes": ["100"], "serve-lazy": ["true"], "serve-placement": ["hash"],
    "serve-mode": ["async"], "serve-staleness": ["2"], "serve-warm-up": ["2"], "serve-wire": ["bf16"], "serve-prefetch": ["true"],
    "serve-initial": ["normal:0:0.1"], "mesh": ["tp:2", "tp:4", "dp:2,tp:2"], "tensor": ["*fc1.weight=0"], "sequence": ["true"],
    "auto": ["true"], "auto-ranks": [], "auto-memory": [], "auto-tensors": [],
}
# What a key has no meaning without.
NEEDED = {"interleave": ["accumulate=4", "overlap=true"], "chunks": ["mesh=tp:2", "overlap=true", "chunk-min-bytes=1"],
          "chunk-min-bytes": ["mesh=tp:2", "overlap=true", "chunks=2"]}
FORWARD = ["loss=softmax-cross-entropy optimizer=sgd", "loss=softmax-cross-entropy optimizer=momentum loss-scale=8",
           "loss=softmax-cross-entropy optimizer=adamw clip-norm=1.0",
           "loss=softmax-cross-entropy optimizer=adam loss-scale=dynamic clip-norm=1.0",
           "loss=softmax-cross-entropy optimizer=nadam compute=bf16 gradient-norm=true ema=0.9"]
# Where statistics, or rows, of all ranks are on the way as well it is not known what narrow values are multiplied by.
RECIPES = {"digits_mlp": FORWARD, "digits_cnn": FORWARD[:-1], "digits_dropout": FORWARD[2:],
           "clicks": FORWARD[:-1],
           "digits_mlp_training": ["", "loss-scale=8 clip-norm=1.0"], "digits_cnn_training": ["", "loss-scale=8 clip-norm=1.0"]}
# Why what is asked for cannot be done; what the proof says is not among it.
REFUSALS = ["conflicts with", "needs to know", "launch with dist-run, which finds it", "both say where buckets end",
            "no gradient that is reduced is a list of rows", "has no meaning without", "choose sparse=dense", "is for serve", "cannot be served",
            "asynchronous training wants", "has no optimizer that could be sharded",
            "ranks do not make the mesh", "names no trainable variable"]
Case = collections.namedtuple("Case", "model recipe keys")


def documented_keys():
    text = (ROOT / "docs/options.md").read_text()
    begin = text.index("## `--distribute`")
    table = text[begin:text.index("\n## ", begin)]
    return re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)


def name_of(key):
    return key.split("=")[0]


def with_needed(keys):
    needed = {name_of(one): one for key in keys for one in NEEDED.get(name_of(key), [])}
    return keys + tuple(one for name, one in needed.items() if name not in {name_of(key) for key in keys})


def all_cases():
    singles = [f"{key}={value}" for key, values in VALUES.items() for value in values]
    ways = [()] + [(one,) for one in singles]
    ways += [pair for pair in itertools.combinations(singles, 2) if name_of(pair[0]) != name_of(pair[1])]
    return [Case(model, recipe, with_needed(keys)) for keys in ways for model, recipes in RECIPES.items() for recipe in recipes]


def run(dist_opt, case):
    """What dist-opt says against the case; the reason if it is one of the known ones."""
    # Four ranks do not divide 66 samples, which a policy is for; what is cut into 4 micro-batches must be divided.
    has_policy = any(key.startswith("batch-policy") for key in case.keys)
    batch = 66 if has_policy and "accumulate=4" not in case.keys else 64
    command = [dist_opt, MODELS / f"{case.model}.onnx", f"--train={case.recipe} global-batch={batch}",
               "--distribute=" + " ".join(case.keys), "--specialize-world=ranks=4", "--distribute-verify-replication",
               "--remarks", "--remarks-filter=distribute-verify-replication", "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    complaints = [line for line in done.stderr.splitlines() if "error:" in line or "not known whether" in line]
    if done.returncode == 0 and not complaints:
        return None
    return re.sub(r"^\S*: ", "", complaints[0]) if complaints else f"ended with {done.returncode}: {done.stderr[-300:]}"


def sweep(dist_opt, cases, jobs):
    """Cases by what was said against them; what is refused for a known reason is counted under None."""
    said = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for case, complaint in zip(cases, pool.map(lambda case: run(dist_opt, case), cases)):
            if complaint:
                known = any(re.search(refusal, complaint) for refusal in REFUSALS)
                said[None if known else complaint].append(case)
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if set(documented_keys()) != set(VALUES):
        sys.exit(f"not in both docs/options.md and this sweep: {', '.join(set(documented_keys()) ^ set(VALUES))}")
    cases = all_cases()[::arguments.every]
    run_keys = {name_of(key) for case in cases for key in case.keys}
    missed = [key for key, values in VALUES.items() if values and key not in run_keys]
    missed += set(RECIPES) - {case.model for case in cases}
    if missed:
        sys.exit(f"--every {arguments.every} leaves out {', '.join(missed)}")
    said = sweep(arguments.tools / "dist-opt", cases, arguments.jobs)
    refused = len(said.pop(None, []))
    print(f"{len(cases)} cases, {refused} that contradict themselves")
    for complaint, alarmed in said.items():
        print(f"{len(alarmed)} times: {complaint}")
        for case in alarmed[:3]:
            print(f"  {case.model} --train=\"{case.recipe}\" --distribute=\"{' '.join(case.keys)}\"")
    if said:
        sys.exit("programs that are right are refused")


if __name__ == "__main__":
    main()
