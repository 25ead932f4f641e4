"""Starts `dist-run ...`, waits until training runs, kills one rank with SIGKILL, and checks what is left: dist-run must
end within five seconds, non-zero, name the dead rank, and leave no process and no shared memory behind.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

SECONDS_TO_END = 5
SECONDS_TO_START = 120


def children(pid):
    """The direct children of a process, in the order in which it started them."""
    tasks = pathlib.Path(f"/proc/{pid}/task")
    found = []
    for task in tasks.iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return sorted(found)


def shared_memory(pids):
    """The files of /dev/shm that these processes have mapped; others put theirs there meanwhile."""
    lines = [line for pid in pids for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()]
    return {line.split(maxsplit=5)[5] for line in lines if " /dev/shm/" in line}


def wait_for(condition, what):
    for _ in range(SECONDS_TO_START * 20):
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    sys.exit(f"{what} did not happen within {SECONDS_TO_START} s")


def main():
    metrics, ranks, victim, *command = sys.argv[1:]
    ranks, victim = int(ranks), int(victim)
    process = subprocess.Popen([*command, "-n", str(ranks), "--metrics", metrics], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    # The second line says that all ranks have done the first step.
    wait_for(lambda: os.path.exists(metrics) and pathlib.Path(metrics).read_bytes().count(b"\n") > 1, "the second step")
    workers = children(process.pid)
    if len(workers) != ranks:
        sys.exit(f"expected {ranks} processes under dist-run, found {len(workers)}")
    shared = shared_memory([process.pid, *workers])
    os.kill(workers[victim], signal.SIGKILL)
    try:
        output, _ = process.communicate(timeout=SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit(f"dist-run still ran {SECONDS_TO_END} s after rank {victim} was killed")
    print(output)
    left = [worker for worker in workers if os.path.exists(f"/proc/{worker}")]
    files = [file for file in shared if os.path.exists(file)]
    if process.returncode == 0 or left or files:
        sys.exit(f"status {process.returncode}, processes left {left}, shared memory {files}")
    print(f"ended with status {process.returncode}, nothing left behind")


if __name__ == "__main__":
    main()
