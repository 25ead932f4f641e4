"""disturb_a_rank.py [--until TEXT] SIGNAL METRICS LAUNCHER...: starts `LAUNCHER...` with `--metrics METRICS`, waits until training runs,
sends SIGNAL to rank 1, and checks that the launcher ends soon, non-zero, with nothing left behind. With METRICS
`early:SECONDS` it waits no longer than for the process of rank 1 and that time: ranks may still be connecting. With
--until it does so again, eight times at most, until the output holds TEXT: for what a launcher leaves to chance.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import signal
import subprocess
import sys
import time

SECONDS_TO_END = 120  # of a run that takes a second where nothing else does
SECONDS_TO_START = 120
MOST_ATTEMPTS = 8
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


def worker_of_rank_1(mark):
    """Its process id. A process that just starts another program has no environment for a moment."""
    for _ in range(SECONDS_TO_START * 20):
        process = workers(mark).get(1)
        if process:
            return process
        time.sleep(0.05)
    sys.exit(f"rank 1 is gone before it was disturbed, of {workers(mark)}")


def wait_until_gone(mark):
    """The workers that are left after what a busy machine needs to end them."""
    for _ in range(SECONDS_TO_END * 20):
        if not workers(mark):
            break
        time.sleep(0.05)
    return workers(mark)


def disturb(name, metrics, command):
    """What the launcher said, and how it ended; does not return where it ended otherwise than it should."""
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
        os.kill(worker_of_rank_1(mark.encode()), getattr(signal, "SIG" + name))
        output, _ = launcher.communicate(timeout=SECONDS_TO_END)
        left = wait_until_gone(mark.encode())
    except subprocess.TimeoutExpired:
        sys.exit(f"the launcher still ran {SECONDS_TO_END} s after rank 1 was disturbed")
    finally:
        for pid in workers(mark.encode()).values():
            os.kill(pid, signal.SIGKILL)
        launcher.kill()
    said = "\n".join(line for line in output.splitlines() if "  step " not in line)
    if launcher.returncode == 0 or left:
        sys.exit(f"{said}\nthe launcher ended with status {launcher.returncode} and left {left}")
    return f"{said}\nended with status {abs(launcher.returncode)}, nothing left behind"


def main():
    arguments = sys.argv[1:]
    wanted = ""
    if arguments[0] == "--until":
        wanted, arguments = arguments[1], arguments[2:]
    name, metrics, *command = arguments
    for _ in range(MOST_ATTEMPTS):
        said = disturb(name, metrics, command)
        if wanted in said:
            break
    print(said)


if __name__ == "__main__":
    main()
