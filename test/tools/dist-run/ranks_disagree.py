"""ranks_disagree.py FOLDER MODEL DATA FEWER OTHER: starts pairs of ranks, as a launcher does, of which one has an option or a file of its own. Both must end with
an error that names it before anything is computed; a pair that differs in nothing that matters must train.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import shutil
import subprocess
import sys

FOLDER, MODEL, DATA, FEWER, OTHER = sys.argv[1:]
DIGITS = os.path.join(DATA, "digits_train.npz")
RECIPE = "loss=softmax-cross-entropy optimizer=sgd learning-rate=%s global-batch=64"
COMMON = ["--distribute", "--rendezvous", os.path.join(FOLDER, "meet"), "--interface", "lo", "--stall-limit", "60"]
LIMIT = 120


def options(rate="0.1", dataset=DIGITS, steps="20", *more):
    return ["--train=" + RECIPE % rate, "--dataset", dataset, "--steps", steps, *more]


PLAIN = options()
# What rank 1 has, and what is said of it; None: they agree.
PAIRS = [
    (PLAIN, None),
    (PLAIN + ["--threads", "2", "--metrics", os.path.join(FOLDER, "m.jsonl")], None),
    (options("0.2"), "learning-rate: rank 0 has 0.1, rank 1 has 0.2"),
    (PLAIN + ["--seed", "7"], "seed: rank 0 has 0, rank 1 has 7"),
    (PLAIN + ["--shuffle", "false"], "shuffle: rank 0 has true, rank 1 has false"),
    (options(dataset=FEWER), "data: rank 0 has f32 [1437, 1, 8, 8]"),
    (options(dataset=OTHER), "data: rank 0 has f32 [1437, 1, 8, 8]"),
    (options(steps="30"), "steps: rank 0 has 20, rank 1 has 30"),
    (PLAIN + ["--evaluate", os.path.join(DATA, "digits_test.npz")], "evaluate: rank 0 has none, rank 1 has f32 [360, 1, 8, 8]"),
    (PLAIN + ["--model-dir", os.path.join(FOLDER, "run")], "model-dir: rank 0 has none, rank 1 has given"),
    (PLAIN + ["--reductions", "native"], "reductions: rank 0 has ordered, rank 1 has native"),
    (PLAIN + ["--instructions", "x86-64-v3"], "instructions: rank 0 has native of "),
]
# The same of the environment.
SETTINGS = [
    ({"ONEDNN_MAX_CPU_ISA": "AVX"}, "onednn-max-cpu-isa: rank 0 has none, rank 1 has AVX"),
]


def start(rank, own, settings={}):
    environment = dict(os.environ, RANK=str(rank), WORLD_SIZE="2", **settings)
    return subprocess.Popen(["dist-run", MODEL, *COMMON, *own], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main():
    for own, settings, wanted in [(own, {}, wanted) for own, wanted in PAIRS] + [(PLAIN, settings, wanted) for settings, wanted in SETTINGS]:
        shutil.rmtree(os.path.join(FOLDER, "meet"), ignore_errors=True)
        os.mkdir(os.path.join(FOLDER, "meet"))
        pair = [start(0, PLAIN), start(1, own, settings)]
        said = "".join(process.communicate(timeout=LIMIT)[0] for process in pair)
        statuses = [process.returncode for process in pair]
        if wanted is None and statuses != [0, 0]:
            sys.exit(f"{own} {settings}: {statuses}\n{said}")
        if wanted and (0 in statuses or wanted not in said or "trained digits" in said):
            sys.exit(f"{own} {settings}: {statuses}, not '{wanted}':\n{said}")
    print(f"{len(PAIRS) + len(SETTINGS)} pairs were right")


if __name__ == "__main__":
    main()
