"""stop_a_server.py FOLDER MODEL DATA: starts a server and a worker as roles of their own that write a checkpoint after each step, stops the server (SIGSTOP) and
prints how the worker ended, and what it said. The worker must end although nobody answers it.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import glob
import os
import signal
import socket
import subprocess
import sys
import time

FOLDER, MODEL, DATA = sys.argv[1:]
LIMIT = 120


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def main():
    run = os.path.join(FOLDER, "run")
    hosts = ["--ps-hosts", f"127.0.0.1:{free_port()}", "--worker-hosts", f"127.0.0.1:{free_port()}"]
    command = ["dist-run", MODEL, "--train=loss=softmax-cross-entropy optimizer=adagrad global-batch=64", "--dataset", DATA, "--steps", "100000000",
               "--distribute=serve=user.weight,item.weight", *hosts, "--stall-limit", "4", "--stall-warning", "1", "--model-dir", run, "--save-checkpoints-steps", "1"]
    said = os.path.join(FOLDER, "worker.txt")
    with open(said, "w", encoding="utf-8") as output:
        server = subprocess.Popen([*command, "--role", "ps"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        worker = subprocess.Popen([*command, "--role", "worker"], stdout=output, stderr=subprocess.STDOUT)
    try:
        end = time.monotonic() + LIMIT
        while len(glob.glob(os.path.join(run, "checkpoints", "step-*"))) < 4:
            if time.monotonic() > end or worker.poll() is not None:
                sys.exit(f"it writes no checkpoints\n{open(said, encoding='utf-8').read()}")
            time.sleep(0.05)
        server.send_signal(signal.SIGSTOP)
        print("worker 0 ended with status", worker.wait(timeout=LIMIT))
        print(open(said, encoding="utf-8").read())
    finally:
        worker.kill()
        server.kill()


if __name__ == "__main__":
    main()
