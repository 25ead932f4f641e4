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
import tempfile
import time

import numpy
import onnx
from onnx import TensorProto, helper

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools/dist-run"))
from kill_and_restart import children

ROWS, WIDTH, LOOKUPS, SAMPLES, BATCH, EPOCHS = 100, 4, 4, 640, 64, 200
STEPS = SAMPLES // BATCH * EPOCHS
LIMIT = 240
MOST_RUNS = 20
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


def wait_until_all_run(process, command, roles, end, train):
    """All roles run and, with `train`, a checkpoint was written since the call; or the run is over; or it is so late."""
    before = checkpoints(command) if train else None
    while process.poll() is None and time.monotonic() < end and (train and checkpoints(command) <= before or len(children(process.pid)) < roles):
        time.sleep(0.001)


def kill_one(process, kind, chance):
    """Of the roles that run, in the order of their start: the first is a server, the last a worker or, once all workers have ended, a server. Whether one ran."""
    victims = children(process.pid)
    if not victims:
        return False
    try:
        os.kill({"worker": victims[-1], "server": victims[0], "any": chance.choice(victims)}[kind], signal.SIGKILL)
    except ProcessLookupError:  # it has ended since
        return False
    return True


def disturbed(command, roles, seconds, kinds, chance):
    """Runs the command and kills one role of each of the kinds, each within so many seconds since all roles run, a worker since they train. Returns how many it killed, what was said, and for
    how many seconds all roles trained."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        killed, end = 0, time.monotonic() + LIMIT
        for kind in kinds:
            wait_until_all_run(process, command, roles, end, train=kind == "worker")
            time.sleep(chance.uniform(0, seconds))
            killed += kill_one(process, kind, chance)
        wait_until_all_run(process, command, roles, end, train=True)
        begin = time.monotonic()
        while len(children(process.pid)) == roles and time.monotonic() < end:
            time.sleep(0.001)
        together = time.monotonic() - begin
        try:
            process.wait(timeout=max(end - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            process.kill()
        output.seek(0)
        said = output.read()
    if process.returncode != 0:
        sys.exit(f"status {process.returncode} after {killed} kills" + f", and {LIMIT} s" * (time.monotonic() >= end) + f":\n{said}")
    return killed, said, together


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
    while runs < 2 or done < left or back == 0 or restarts == 0:
        if runs == MOST_RUNS:
            sys.exit(f"{done} of {left} kills in {runs} runs: {back} workers came back, {restarts} attempts began again; the last run:\n{said}")
        for place, number in enumerate(pieces):
            steps = STEPS * (place + 1) // len(pieces)
            kinds = [] if runs == 0 else ["worker", "server"] if back == 0 or restarts == 0 else ["any"] * min(max(left - done, 1), MOST_AT_ONCE)
            killed, said, together = disturbed([*command(number), "--steps", str(steps)], int(number) + 2, seconds, kinds, chance)
            done, back, restarts = done + killed, back + said.count("it starts again"), restarts + said.count("; restart ")
            if runs == 0:
                seconds = min(seconds, 0.7 * together)
        saved = load(path("saved.safetensors"))
        for name, table in saved.items():
            if not numpy.array_equal(table, wanted.astype(numpy.float32)):
                rows = numpy.nonzero((table != wanted).any(1))[0]
                sys.exit(f"run {runs}, table '{name}': {len(rows)} rows are wrong, the first, {rows[0]}, is {table[rows[0]]}, not {wanted[rows[0]]}:\n{said}")
        if len(saved) != 2:
            sys.exit("not both tables were saved")
        shutil.rmtree(path("run"))
        runs += 1
    print(f"{done} kills in {runs} runs: {back} workers came back, {restarts} attempts began again, every lookup counted once")


if __name__ == "__main__":
    main()
