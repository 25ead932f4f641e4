"""kill_beside_evaluator.py dist-run ARGUMENTS...: starts a run with an evaluator beside it, kills dist-run once checkpoints are evaluated, and waits until no process
of the run is left.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import signal
import subprocess
import sys
import time

LIMIT = 60


def processes_of(mark):
    """The ids of all processes that were started with this variable."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark in file.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            continue
    return found


def wait_until(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            sys.exit(what)
        time.sleep(0.1)


def main():
    command = sys.argv[1:]
    told = os.path.join(command[command.index("--model-dir") + 1], "eval", "metrics.jsonl")
    variable, value = "TUTTI_TEST_RUN", str(os.getpid())
    mark = f"{variable}={value}".encode()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, variable: value})
    try:
        wait_until(lambda: os.path.exists(told) and os.path.getsize(told) > 0, "nothing is evaluated")
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_until(lambda: not processes_of(mark), "the evaluator is still there")
    finally:
        for pid in processes_of(mark):
            os.kill(pid, signal.SIGKILL)
    print("all have ended")


if __name__ == "__main__":
    main()
