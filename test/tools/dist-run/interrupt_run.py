"""interrupt_run.py WHOM SIGNALS METRICS LAUNCHER...: starts `LAUNCHER...` with `--metrics METRICS`, waits until training runs, sends
each of SIGNALS (INT, TERM, USR1; comma-separated) to WHOM (launcher, group, rank0, rank1), half a second apart, and prints what the
launcher said, its status, how many steps the metrics have and whether each is a whole line.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import signal
import subprocess
import sys
import time

SECONDS = 120


def worker_of(mark, rank):
    """The process id of a rank of this run, by its configuration."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                is_ours = mark in file.read().split(b"\0")
            if not is_ours or not os.readlink(f"/proc/{pid}/exe").endswith("dist-worker"):
                continue
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                path = file.read().split(b"\0")[1].decode().replace("self", pid)
            with open(path, encoding="utf-8") as file:
                if json.load(file)["rank"] == rank:
                    return int(pid)
        except (OSError, ValueError):
            continue
    sys.exit(f"no process is rank {rank}")


def wait_for_training(metrics, launcher):
    for _ in range(SECONDS * 20):
        if os.path.exists(metrics) and os.path.getsize(metrics) > 0:
            return
        if launcher.poll() is not None:
            sys.exit(f"ended before training began:\n{launcher.stdout.read()}")
        time.sleep(0.05)
    sys.exit(f"no step within {SECONDS} s")


def send(whom, name, mark, launcher):
    number = getattr(signal, "SIG" + name)
    if whom == "group":
        os.killpg(launcher.pid, number)
    else:
        os.kill(launcher.pid if whom == "launcher" else worker_of(mark, int(whom[4:])), number)


def main():
    whom, signals, metrics, *command = sys.argv[1:]
    if os.path.exists(metrics):
        os.remove(metrics)
    variable, value = "TUTTI_TEST_RUN", str(os.getpid())
    launcher = subprocess.Popen([*command, "--metrics", metrics], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, start_new_session=True, env={**os.environ, variable: value})
    try:
        wait_for_training(metrics, launcher)
        for number, name in enumerate(signals.split(",")):
            time.sleep(0.5 if number else 0)
            send(whom, name, f"{variable}={value}".encode(), launcher)
        output, _ = launcher.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        sys.exit(f"still ran {SECONDS} s later")
    finally:
        launcher.kill()
    print("\n".join(line for line in output.splitlines() if "  step " not in line))
    with open(metrics, encoding="utf-8") as file:
        text = file.read()
    steps = [json.loads(line)["step"] for line in text.splitlines()]
    if not text.endswith("\n") or steps != list(range(1, len(steps) + 1)):
        sys.exit(f"metrics are not whole lines of all steps: {steps}")
    print(f"status {launcher.returncode}, metrics of {len(steps)} steps")


if __name__ == "__main__":
    main()
