"""kill_a_server.py COMMAND...: runs it once for each of its two servers, kills that one, and prints what the run said last.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import signal
import subprocess
import sys

LIMIT = 60


def children(process):
    """Of a process, in the order in which they were started: servers first."""
    return [int(child) for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def kill_server(command, number):
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = []
    for line in run.stdout:
        lines.append(line)
        if "step " in line and "loss" in line:
            break
    started = children(run.pid)
    if len(started) != 4:
        sys.exit(f"{len(started)} processes instead of 2 servers and 2 workers:\n{''.join(lines)}")
    os.kill(started[number], signal.SIGKILL)
    rest, _ = run.communicate(timeout=LIMIT)
    if run.returncode != 1:
        sys.exit(f"the run ended with {run.returncode}:\n{rest}")
    print(f"server {number}: {rest.splitlines()[-1]}")
    return started


def main():
    command = sys.argv[1:]
    started = [process for number in (0, 1) for process in kill_server(command, number)]
    left = [process for process in started if os.path.exists(f"/proc/{process}")]
    print(f"left: {left}" if left else "nothing is left")


if __name__ == "__main__":
    main()
