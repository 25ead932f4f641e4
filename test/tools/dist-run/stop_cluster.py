"""stop_cluster.py FOLDER MODEL DATA: starts two servers and two workers as roles of their own, in and out of step, and sends each signal to all of them at once,
the servers first. The workers must write their last checkpoint, and all must end with the status of the signal, also if one worker has not even come.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

FOLDER, MODEL, DATA = sys.argv[1:]
TRAIN = "--train=loss=softmax-cross-entropy optimizer=adagrad learning-rate=0.1 global-batch=64"
LIMIT = 120


def free_addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    return addresses


def start(role, index, cluster, run, distribute):
    environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": role, "index": index}}))
    command = ["dist-run", MODEL, TRAIN, "--dataset", DATA, "--steps", "100000000", "--distribute=" + distribute, "--model-dir", run, "--save-checkpoints-steps",
               "100000000", "--stall-limit", "60", "--interface", "lo", "--log-step-count-steps", "1"]
    with open(os.path.join(FOLDER, f"{role}-{index}.txt"), "w", encoding="utf-8") as output:
        return subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)


def said():
    return "".join(open(path, encoding="utf-8").read() for path in sorted(glob.glob(os.path.join(FOLDER, "*.txt"))))


def check(number, distribute, last, workers=2):
    """Until step `last` is told of: then all workers train, or the one that has come waits for the other."""
    run = os.path.join(FOLDER, "cluster")
    shutil.rmtree(run, ignore_errors=True)
    for path in glob.glob(os.path.join(FOLDER, "*.txt")):
        os.remove(path)
    addresses = free_addresses(4)
    cluster = {"ps": addresses[:2], "worker": addresses[2:]}
    processes = [start(role, index, cluster, run, distribute) for role, count in (("ps", 2), ("worker", workers)) for index in range(count)]
    end = time.monotonic() + LIMIT
    while max([int(step) for step in re.findall(r"  step (\d+)/", said())], default=0) < last:
        if time.monotonic() > end or any(process.poll() is not None for process in processes):
            sys.exit(f"it does not train\n{said()}")
        time.sleep(0.05)
    time.sleep(0.5)
    for process in processes:
        process.send_signal(number)
    statuses = [process.wait(timeout=LIMIT) for process in processes]
    if statuses != [128 + number] * (2 + workers):
        sys.exit(f"{signal.Signals(number).name}, {distribute}: they ended with {statuses}\n{said()}")
    parts = sorted(os.listdir(os.path.join(run, "checkpoints")))
    if len(parts) != 3 or "server-0-of-2" not in parts[1] or "server-1-of-2" not in parts[2]:
        sys.exit(f"{signal.Signals(number).name}, {distribute}: the last checkpoint is {parts}\n{said()}")


def main():
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        check(number, "serve=user.weight,item.weight", last=1)
    asynchronous = "serve=* serve-mode=async serve-staleness=4"
    check(signal.SIGUSR2, asynchronous, last=10)
    check(signal.SIGXCPU, asynchronous, last=5, workers=1)


if __name__ == "__main__":
    main()
