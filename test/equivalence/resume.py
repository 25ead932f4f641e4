"""resume.py FOLDER SEED NAME...: for each scenario of the table below, trains without interruption, and once more in a run directory with
a stop after a random step. The variables at the end, and the metrics of all steps, must be equal bit for bit.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import random
import shutil
import subprocess
import sys

STEPS = 45  # of 22 in an epoch
MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models")
DATA = os.path.join(MODELS, "..", "data", "digits_train.npz")
COSINE = "schedule=cosine warmup-steps=5 total-steps=60"
# name: model, ranks, recipe, keys of --distribute, further arguments
SCENARIOS = {
    "momentum-1": ("digits_mlp", 1, "optimizer=momentum momentum=0.9 learning-rate=0.05", None, []),
    "momentum-2": ("digits_mlp", 2, "optimizer=momentum momentum=0.9 learning-rate=0.05", "", []),
    "momentum-4": ("digits_mlp", 4, "optimizer=momentum momentum=0.9 learning-rate=0.05", "overlap=true", []),
    "adam-schedule-1": ("digits_mlp", 1, f"optimizer=adam learning-rate=0.01 {COSINE}", None, []),
    "adam-schedule-4": ("digits_mlp", 4, f"optimizer=adam learning-rate=0.01 {COSINE}", "", []),
    "dropout-1": ("digits_dropout", 1, "optimizer=adam learning-rate=0.01", None, ["--seed", "7"]),
    "dropout-2": ("digits_dropout", 2, "optimizer=adam learning-rate=0.01", "", ["--seed", "7"]),
    "batch-norm-2": ("digits_cnn", 2, "optimizer=momentum momentum=0.9 learning-rate=0.05", "", []),
    "zero1-4": ("digits_mlp", 4, f"optimizer=adamw learning-rate=0.01 {COSINE}", "shard-optimizer=1", []),
    "zero2-2": ("digits_dropout", 2, "optimizer=adam learning-rate=0.01 clip-norm=0.5", "shard-optimizer=2", []),
    "zero3-4": ("digits_dropout", 4, "optimizer=adam learning-rate=0.01", "shard-optimizer=3 overlap=true", []),
    "accumulate-2": ("digits_dropout", 2, "optimizer=adam learning-rate=0.01", "accumulate=4", []),
    "zero1-accumulate-2": ("digits_mlp", 2, "optimizer=adam learning-rate=0.01", "shard-optimizer=1 accumulate=2", []),
    "local-sgd-4": ("digits_mlp", 4, "optimizer=momentum momentum=0.9 learning-rate=0.05", "local-sgd=8", []),
    "diloco-2": ("digits_mlp", 2, "optimizer=momentum momentum=0.9 learning-rate=0.05", "diloco=8", []),
    "error-feedback-2": ("digits_mlp", 2, "optimizer=sgd learning-rate=0.05", "compress=bf16 error-feedback=true", []),
    "loss-scale-2": ("digits_mlp", 2, "optimizer=adam learning-rate=0.01 loss-scale=dynamic", "", []),
    "pad-3": ("digits_mlp", 3, "optimizer=adam learning-rate=0.01", "batch-policy=pad", ["--shuffle", "false"]),
    "weighted-3": ("digits_mlp", 3, "optimizer=adam learning-rate=0.01", "batch-policy=weighted shard-optimizer=1", []),
}


def run(scenario, *arguments):
    model, ranks, recipe, keys, further = SCENARIOS[scenario]
    command = ["dist-run", "-n", str(ranks), os.path.join(MODELS, model + ".onnx"), "--dataset", DATA,
               "--train=loss=softmax-cross-entropy global-batch=64 " + recipe, *further, *arguments]
    if keys is not None:
        command.append("--distribute=" + keys)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{scenario}: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done


def metrics(path):
    """What each step gave, but for the time that it took. What servers did counts from their last start."""
    with open(path, encoding="utf-8") as file:
        told = [json.loads(line) for line in file]
    return [{key: value for key, value in line.items() if key != "samples_per_second"} for line in told if "servers" not in line]


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def compare(scenario, path, steps, where):
    """Whether the run in pieces gave the variables and the metrics of the whole one."""
    if contents(path("whole.safetensors")) != contents(path("parts.safetensors")):
        sys.exit(f"{scenario}: other variables, {where}")
    whole, parts = metrics(path("whole.jsonl")), metrics(path("parts.jsonl"))
    if len(whole) != steps or whole != parts:
        sys.exit(f"{scenario}: other metrics, {where}")
    print(f"{scenario}: equal, {where}", flush=True)


def check(scenario, folder, chance):
    path = lambda name: os.path.join(folder, name)
    shutil.rmtree(path("run"), ignore_errors=True)
    run(scenario, "--steps", str(STEPS), "--save", path("whole.safetensors"), "--metrics", path("whole.jsonl"))
    stop = chance.randint(1, STEPS - 1)
    common = ["--model-dir", path("run"), "--save-checkpoints-steps", str(chance.randint(3, 20)), "--metrics", path("parts.jsonl")]
    run(scenario, "--steps", str(stop), *common)
    done = run(scenario, "--steps", str(STEPS), "--save", path("parts.safetensors"), *common)
    if f"going on after step {stop}," not in done.stdout or f"{STEPS - stop} of them here" not in done.stdout:
        sys.exit(f"{scenario}: it did not go on after step {stop}:\n{done.stdout}{done.stderr}")
    compare(scenario, path, STEPS, f"stopped after step {stop}")


def main():
    folder, seed, *names = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    chance = random.Random(int(seed))
    for name in names or SCENARIOS:
        check(name, folder, chance)


if __name__ == "__main__":
    main()
