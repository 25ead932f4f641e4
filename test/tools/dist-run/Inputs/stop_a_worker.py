"""stop_a_worker.py NUMBER COMMAND...: runs it, stops worker NUMBER (SIGSTOP) once training has begun, and prints what the run says then.

Of the processes that COMMAND starts, servers come first; there are two of them. The run must end by itself, with an error.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import signal
import subprocess
import sys

LIMIT = 60
SERVERS = 2


def children(process):
    """Of a process, in the order in which they were started."""
    return [int(child) for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def main():
    number, command = int(sys.argv[1]), sys.argv[2:]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in run.stdout:
        if "step " in line and "loss" in line:
            break
    stopped = children(run.pid)[SERVERS + number]
    os.kill(stopped, signal.SIGSTOP)
    try:
        rest, _ = run.communicate(timeout=LIMIT)
    finally:
        if run.poll() is None:
            run.kill()
    print(rest)
    print(f"ended with {run.returncode}")
    print("left" if os.path.exists(f"/proc/{stopped}") else "nothing is left")


if __name__ == "__main__":
    main()
