"""served_counts.py FOLDER SEED KILLS SERVERS ARGUMENTS...: trains a model whose rows count how often they are looked up, with workers that do not wait for each
other, while roles are killed: KILLS times, a random one at a random moment. Each lookup takes 2^-9 from its row, whatever the row is: a push that is lost or
counted twice shows, and no order of pushes does. SERVERS, numbers with commas between them, are
those of the pieces that a run is stopped and continued in.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

import numpy
import onnx
from onnx import TensorProto, helper

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools/dist-run"))
from kill_and_restart import children

ROWS, WIDTH, LOOKUPS, SAMPLES, BATCH, EPOCHS = 100, 4, 4, 640, 64, 200
STEPS = SAMPLES // BATCH * EPOCHS
LIMIT = 240
MOST_KILLS = 60
MOST_AT_ONCE = 2  # what fails in one step for the third time is not tried again


def make_model(path):
    tables = [helper.make_tensor(name, TensorProto.FLOAT, [ROWS, WIDTH], bytes(4 * ROWS * WIDTH), raw=True) for name in ("first", "second")]
    nodes = [helper.make_node("Gather", ["first", "ids"], ["a"]), helper.make_node("Gather", ["second", "ids"], ["b"]),
             helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("ReduceMean", ["sum"], ["loss"], keepdims=0)]
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["N", LOOKUPS])
    loss = helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])
    graph = helper.make_graph(nodes, "counts", [ids], [loss], tables)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def load(path):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(size)), file.read()
    tensor = lambda entry: numpy.frombuffer(data[slice(*entry["data_offsets"])], numpy.float32).reshape(entry["shape"])
    return {name: tensor(entry) for name, entry in header.items() if name in ("first", "second")}


def checkpoints(command):
    folder = command[command.index("--model-dir") + 1]
    return {name for _, _, names in os.walk(folder) for name in names if name.startswith("step-")}


def next_victim(process, command, roles, kind, chance):
    """Of the roles that run, in the order of their start: the first is a server, the last a worker, which comes back once it trains. None: the run is over."""
    before = checkpoints(command)
    while kind == "worker" and checkpoints(command) <= before and process.poll() is None:
        time.sleep(0.001)
    victims = children(process.pid)
    while len(victims) < roles and process.poll() is None:  # one has yet to come back
        time.sleep(0.001)
        victims = children(process.pid)
    if process.poll() is not None:
        return None
    return {"worker": victims[-1], "server": victims[0], "any": chance.choice(victims)}[kind]


def disturbed(command, roles, seconds, kinds, chance):
    """Runs the command and kills one role of each of the kinds, each within so many seconds of the one before."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    killed = 0
    for kind in kinds:
        end = time.monotonic() + chance.uniform(0, seconds)
        while time.monotonic() < end and process.poll() is None:
            time.sleep(0.001)
        victim = next_victim(process, command, roles, kind, chance)
        if victim is None:
            break
        try:
            os.kill(victim, signal.SIGKILL)
            killed += 1
        except ProcessLookupError:
            pass
    try:
        said, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit(f"it still runs after {LIMIT} s:\n{process.communicate()[0]}")
    if process.returncode != 0:
        sys.exit(f"status {process.returncode} after {killed} kills:\n{said}")
    return killed, said.count("it starts again"), said.count("; restart "), said


def main():
    folder, seed, kills, servers, *arguments = sys.argv[1:]
    chance, left, pieces = random.Random(int(seed)), int(kills), servers.split(",")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    path = lambda name: os.path.join(folder, name)
    make_model(path("counts.onnx"))
    ids = numpy.random.default_rng(int(seed)).integers(0, ROWS, (SAMPLES, LOOKUPS))
    numpy.savez(path("ids.npz"), ids=ids)
    wanted = -numpy.bincount(ids.ravel(), minlength=ROWS)[:, None].repeat(WIDTH, 1) * EPOCHS / (BATCH // 2 * LOOKUPS * WIDTH)
    command = lambda number: ["dist-run", path("counts.onnx"), "--dataset", path("ids.npz"), "--train=loss=output optimizer=sgd learning-rate=1 global-batch=64",
                              "--distribute=serve=* serve-mode=async serve-lazy=true", "--local-cluster", f"ps={number},worker=2", "--max-restarts", "20",
                              "--save-checkpoints-steps", "7", "--model-dir", path("run"), "--save", path("saved.safetensors"), *arguments]
    done = back = restarts = runs = 0
    seconds = LIMIT
    while True:
        begin = time.monotonic()
        for place, number in enumerate(pieces):
            steps = STEPS * (place + 1) // len(pieces)
            kinds = [] if runs == 0 else ["worker", "server"] if back == 0 or restarts == 0 else ["any"] * min(max(left - done, 1), MOST_AT_ONCE)
            killed, came_back, again, said = disturbed([*command(number), "--steps", str(steps)], int(number) + 2, seconds, kinds, chance)
            done, back, restarts = done + killed, back + came_back, restarts + again
        seconds = min(seconds, 0.7 * (time.monotonic() - begin) / len(pieces))
        saved = load(path("saved.safetensors"))
        for name, table in saved.items():
            if not numpy.array_equal(table, wanted.astype(numpy.float32)):
                rows = numpy.nonzero((table != wanted).any(1))[0]
                sys.exit(f"run {runs}, table '{name}': {len(rows)} rows are wrong, the first, {rows[0]}, is {table[rows[0]]}, not {wanted[rows[0]]}:\n{said}")
        if len(saved) != 2:
            sys.exit("not both tables were saved")
        shutil.rmtree(path("run"))
        runs += 1
        if runs > 1 and (done >= left and back > 0 and restarts > 0 or done >= MOST_KILLS):
            break
    print(f"{done} kills in {runs} runs: {back} workers came back, {restarts} attempts began again, every lookup counted once")


if __name__ == "__main__":
    main()
