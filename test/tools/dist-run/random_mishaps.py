"""random_mishaps.py [--pause SECONDS] FOLDER SEED MISHAPS MODEL DATASET: trains again and again in run directories, and things happen to it: a random signal to a
random process (the launcher, a rank, a server of tables) at a random moment, among them SIGSTOP for 20 seconds or as many as are given, or a disk that is full. However a run ends, it says
why, in time; every checkpoint that was whole before is there, or a newer one; and the same command then goes on to the bits of a run to which nothing happened.
Prints a table of what happened, how the runs ended and after how long.

    random_mishaps.py /tmp/mishaps 1 200 test/models/digits_mlp.onnx test/data/digits_train.npz

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(HERE, "../../equivalence")]
from kill_and_restart import children, contents
from served_counts import LOOKUPS, ROWS, make_model

STEPS, EVERY = 1500, 10
MOST_RUNS = 4  # for each thing that is to happen
LIMIT = 90  # until a run to which something happened has ended
OVER = "it was over"
SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU, signal.SIGSEGV, signal.SIGBUS, signal.SIGSTOP]
TRAIN = "--train=loss=softmax-cross-entropy optimizer=adam learning-rate=0.01 global-batch=64"
SERVED_TRAIN = "--train=loss=output optimizer=adagrad learning-rate=0.1 global-batch=64"
KINDS = {
    "all-reduce, shm": ["-n", "2", "--distribute"],
    "all-reduce, gloo": ["-n", "4", "--distribute", "--backend", "gloo"],
    "all-reduce, gloo's own order": ["-n", "4", "--distribute", "--backend", "gloo", "--reductions", "native"],
    "shard-optimizer": ["-n", "2", "--distribute=shard-optimizer=1"],
    "local-sgd": ["-n", "2", "--distribute=local-sgd=4"],
    "served": ["--distribute=serve=*", "--local-cluster", "ps=2,worker=2"],
}


def can_mount():
    return subprocess.run(["unshare", "--mount", "--map-root-user", "mount", "-t", "tmpfs", "none", "/mnt"], stderr=subprocess.DEVNULL).returncode == 0


def whole_checkpoints(run):
    """The steps that rank 0 has listed as whole; None: there is no list."""
    try:
        with open(os.path.join(run, "checkpoints.json"), encoding="utf-8") as file:
            return [int(step) for step in re.findall(r"\d+", file.read().split("[", 1)[-1])]
    except OSError:
        return []


def mishap(process, chance, seconds, pause):
    """Lets something happen to the run; what it was."""
    end = time.monotonic() + chance.uniform(0, seconds)
    while time.monotonic() < end and process.poll() is None:
        time.sleep(0.001)
    roles = [process.pid, *children(process.pid)]
    victim = chance.randrange(len(roles))
    kind = chance.choice(SIGNALS)
    try:
        os.kill(roles[victim], kind)
    except ProcessLookupError:
        return OVER
    role = "launcher" if victim == 0 else "rank or server"
    if kind != signal.SIGSTOP:
        return f"{kind.name} to a {role}"
    time.sleep(pause)
    try:
        os.kill(roles[victim], signal.SIGCONT)
    except ProcessLookupError:
        pass
    return f"SIGSTOP of a {role} for {pause:g} s"


def end_of(process, log):
    try:
        status = process.wait(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        print(f"it still runs after {LIMIT} s:\n" + contents(log).decode())
        for child in children(process.pid):
            os.kill(child, signal.SIGKILL)
        process.kill()
        sys.exit(1)
    return status


def start(command, log, disk):
    """With `disk`, on a file system of its own with so many KiB for the run directory."""
    if disk:
        run = command[command.index("--model-dir") + 1]
        script = f'mount -t tmpfs -o size={disk}k none "$0" && cp -a "$0.before/." "$0" && "$@"; status=$?; rm -rf "$0.before"; cp -a "$0" "$0.before"; exit $status'
        os.makedirs(run, exist_ok=True)
        shutil.rmtree(run + ".before", ignore_errors=True)
        shutil.copytree(run, run + ".before")
        command = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, run, *command]
    with open(log, "w", encoding="utf-8") as output:
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pause", type=float, default=20)
    for name, kind in (("folder", str), ("seed", int), ("mishaps", int), ("model", str), ("dataset", str)):
        parser.add_argument(name, type=kind)
    given = parser.parse_args()
    folder, seed, model, dataset = given.folder, given.seed, given.model, given.dataset
    chance, has_disks = random.Random(seed), can_mount()
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    path = lambda name: os.path.join(folder, name)
    log, run, saved = path("log.txt"), path("run"), path("saved.safetensors")
    make_model(path("counts.onnx"))
    numpy.savez(path("ids.npz"), ids=numpy.random.default_rng(seed).integers(0, ROWS, (640, LOOKUPS)))
    data = lambda kind: [path("counts.onnx"), SERVED_TRAIN, "--dataset", path("ids.npz")] if kind == "served" else [model, TRAIN, "--dataset", dataset]
    command = lambda kind: ["dist-run", *data(kind), *KINDS[kind], "--steps", str(STEPS), "--save-checkpoints-steps", str(EVERY),
                            "--model-dir", run, "--save", saved, "--stall-limit", "60", "--stall-warning", "5"]
    kinds = list(KINDS)
    wanted, seconds = {}, {}

    def train_undisturbed(kind):
        subprocess.run([*command(kind), "--steps", "1"], capture_output=True)  # compiles it
        shutil.rmtree(run, ignore_errors=True)
        begin = time.monotonic()
        said = subprocess.run(command(kind), capture_output=True, text=True)
        if said.returncode != 0:
            sys.exit(f"{kind}: status {said.returncode} undisturbed:\n{said.stdout}{said.stderr}")
        wanted[kind], seconds[kind] = contents(saved), time.monotonic() - begin
        shutil.rmtree(run)

    table, longest = collections.Counter(), collections.defaultdict(float)
    number = 0
    while sum(table.values()) < given.mishaps:
        if number == MOST_RUNS * given.mishaps:
            sys.exit(f"{sum(table.values())} mishaps in {number} runs: most were over before anything happened")
        kind = kinds[number % len(kinds)]
        if kind not in wanted:
            train_undisturbed(kind)
        restarts = chance.choice([[], ["--max-restarts", "5"]])
        happened, attempts, status = [], 0, None
        while status != 0:
            before = whole_checkpoints(run)
            disk = attempts == 0 and has_disks and chance.random() < 0.15 and chance.choice([60, 300, 900])
            process = start([*command(kind), *restarts], log, disk)
            if disk:
                happened.append("a full disk")
            elif attempts < 2:
                happened.append(mishap(process, chance, 0.8 * seconds[kind], given.pause))
            since = time.monotonic()
            status = end_of(process, log)
            took = time.monotonic() - since
            said = contents(log).decode(errors="replace")
            if disk:
                shutil.rmtree(run)
                os.rename(run + ".before", run)
            after = whole_checkpoints(run)
            attempts += 1
            outcome = "the right bits" if status == 0 else f"ended by signal {-status}" if status < 0 else f"status {status}, with the cause"
            problem = ""
            if status > 0 and not re.search(r"error: \S|warning: \S|, then [a-z]", said):
                problem = "it does not say why"
            elif before and (not after or max(after) < max(before)):
                problem = f"the checkpoint of step {max(before)} is lost: {after}"
            elif status == 0 and contents(saved) != wanted[kind]:
                problem = "other bits"
            elif attempts > 6:
                problem = "it never ends well"
            if len(happened) == attempts and happened[-1] != OVER:
                table[happened[-1], outcome] += 1
                longest[happened[-1], outcome] = max(longest[happened[-1], outcome], took)
            if problem:
                sys.exit(f"run {number}, {kind}, {', then '.join(happened)}: {problem}; status {status}:\n{said}")
        shutil.rmtree(run)
        os.remove(saved)
        number += 1
    width = max(len(what) for what, _ in table)
    for (what, outcome), count in sorted(table.items()):
        print(f"{what:{width}}  {outcome:26} {count:4}, {longest[what, outcome]:4.0f} s until it ended at most")
    print(f"{sum(table.values())} mishaps in {number} runs, each of which ended with the right bits")


if __name__ == "__main__":
    main()
