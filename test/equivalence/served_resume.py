"""served_resume.py FOLDER SEED NAME...: for each scenario of the table below, trains tables on servers without interruption, and once more in a run
directory with stops after random steps; each piece has servers, workers and a placement of its own. The variables at the end, tables and states of their
optimizers among them, and the metrics of all steps must be equal bit for bit.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import random
import shutil
import subprocess
import sys

from resume import compare

STEPS = 40  # of 16 in an epoch
MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models")
DATA = os.path.join(MODELS, "..", "data", "clicks_train.npz")
ADAM = "optimizer=adam learning-rate=0.01 schedule=cosine warmup-steps=5 total-steps=60"
ADAGRAD = "optimizer=adagrad learning-rate=0.1"
TABLES = "serve=user.weight,item.weight "
# name: recipe, keys of --distribute, workers, then for each piece servers and placement; the first is that of the undisturbed run, too
SCENARIOS = {
    "same": (ADAGRAD, "", 2, [(2, "range"), (2, "range"), (2, "range")]),
    "servers": (ADAGRAD, "", 2, [(1, "range"), (3, "range"), (2, "range")]),
    "placement": (ADAM, "serve-lazy=true", 2, [(2, "range"), (3, "hash"), (1, "range")]),
    "hash": (ADAM, "serve-lazy=true", 4, [(3, "hash"), (2, "hash"), (5, "hash")]),
    "whole variables": (ADAGRAD, "serve=*", 2, [(2, "range"), (3, "range"), (1, "range")]),
    "alone": (ADAGRAD, "", 1, [(2, "hash"), (1, "range")]),
}


def run(scenario, servers, placement, *arguments):
    recipe, keys, workers, _ = SCENARIOS[scenario]
    command = ["dist-run", os.path.join(MODELS, "clicks.onnx"), "--dataset", DATA, "--local-cluster", f"ps={servers},worker={workers}",
               "--train=loss=softmax-cross-entropy global-batch=64 " + recipe,
               f"--distribute=serve-placement={placement} " + (keys if "serve=" in keys else TABLES + keys), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{scenario}: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done


def check(scenario, folder, chance):
    path = lambda name: os.path.join(folder, name)
    shutil.rmtree(path("run"), ignore_errors=True)
    pieces = SCENARIOS[scenario][3]
    run(scenario, *pieces[0], "--steps", str(STEPS), "--save", path("whole.safetensors"), "--metrics", path("whole.jsonl"))
    common = ["--model-dir", path("run"), "--save-checkpoints-steps", str(chance.randint(2, 10)), "--metrics", path("parts.jsonl")]
    stops = sorted(chance.sample(range(1, STEPS), len(pieces) - 1))
    for number, (stop, piece) in enumerate(zip([*stops, STEPS], pieces)):
        done = run(scenario, *piece, "--steps", str(stop), "--save", path("parts.safetensors"), *common)
        if number > 0 and f"going on after step {stops[number - 1]}," not in done.stdout:
            sys.exit(f"{scenario}: it did not go on after step {stops[number - 1]}:\n{done.stdout}{done.stderr}")
    compare(scenario, path, STEPS, f"stopped after steps {stops}")


def main():
    folder, seed, *names = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    chance = random.Random(int(seed))
    for name in names or SCENARIOS:
        check(name, folder, chance)


if __name__ == "__main__":
    main()
