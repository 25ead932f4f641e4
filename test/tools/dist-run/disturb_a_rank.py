"""disturb_a_rank.py SIGNAL METRICS LAUNCHER...: starts `LAUNCHER...` with `--metrics METRICS`, waits until training runs,
sends SIGNAL to rank 1, and checks that the launcher ends soon, non-zero, with nothing left behind. With METRICS
`early:SECONDS` it waits no longer than for the process of rank 1 and that time: ranks may still be connecting.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import signal
import subprocess
import sys
import time

SECONDS_TO_END = 30
SECONDS_TO_START = 120
RANK_VARIABLES = (b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=")


def environment(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def workers(mark):
    """{rank: process id} of the workers of this run, which all have `mark` in their environment."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        settings = environment(pid)
        try:
            is_worker = mark in settings and os.readlink(f"/proc/{pid}/exe").endswith("dist-worker")
        except OSError:
            continue
        for setting in settings:
            for variable in RANK_VARIABLES:
                if is_worker and setting.startswith(variable):
                    found[int(setting[len(variable):])] = int(pid)
    return found


def wait_for_training(metrics, launcher):
    for _ in range(SECONDS_TO_START * 20):
        if os.path.exists(metrics) and os.path.getsize(metrics) > 0:
            return
        if launcher.poll() is not None:
            sys.exit(f"the launcher ended before training began:\n{launcher.stdout.read()}")
        time.sleep(0.05)
    sys.exit(f"no step within {SECONDS_TO_START} s")


def wait_for_process(mark, seconds, launcher):
    for _ in range(SECONDS_TO_START * 100):
        if 1 in workers(mark):
            time.sleep(seconds)
            return
        if launcher.poll() is not None:
            sys.exit(f"the launcher ended before rank 1 began:\n{launcher.stdout.read()}")
        time.sleep(0.01)
    sys.exit(f"no process of rank 1 within {SECONDS_TO_START} s")


def wait_until_gone(mark):
    """The workers that are left after a moment."""
    for _ in range(40):
        if not workers(mark):
            break
        time.sleep(0.05)
    return workers(mark)


def main():
    name, metrics, *command = sys.argv[1:]
    is_early = metrics.startswith("early:")
    if os.path.exists(metrics):
        os.remove(metrics)
    mark = f"TUTTI_TEST_RUN={os.getpid()}"
    variable, value = mark.split("=")
    launcher = subprocess.Popen(command if is_early else [*command, "--metrics", metrics], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, env={**os.environ, variable: value})
    try:
        if is_early:
            wait_for_process(mark.encode(), float(metrics[len("early:"):]), launcher)
        else:
            wait_for_training(metrics, launcher)
        os.kill(workers(mark.encode())[1], getattr(signal, "SIG" + name))
        output, _ = launcher.communicate(timeout=SECONDS_TO_END)
        left = wait_until_gone(mark.encode())
    except subprocess.TimeoutExpired:
        sys.exit(f"the launcher still ran {SECONDS_TO_END} s later")
    finally:
        for pid in workers(mark.encode()).values():
            os.kill(pid, signal.SIGKILL)
        launcher.kill()
    print("\n".join(line for line in output.splitlines() if "  step " not in line))
    if launcher.returncode == 0 or left:
        sys.exit(f"the launcher ended with status {launcher.returncode} and left {left}")
    print(f"ended with status {abs(launcher.returncode)}, nothing left behind")


if __name__ == "__main__":
    main()
