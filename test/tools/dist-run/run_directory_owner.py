"""Runs that meet in one run directory, with a flock() that always succeeds, as that of another machine does on file
systems which keep locks to themselves, and with one that the file system does not have.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

SECONDS_TO_START = 120
SHIM = """#include <cerrno>
extern "C" int flock(int, int) noexcept { %s }
"""


def wait_for(condition, what):
    for _ in range(SECONDS_TO_START * 20):
        if condition():
            return
        time.sleep(0.05)
    sys.exit(f"{what} did not happen within {SECONDS_TO_START} s")


def require(condition, what):
    if not condition:
        sys.exit(f"wrong: {what}")


class Runs:
    """Of one model, in folders of their own."""

    def __init__(self, folder, models, data, cxx):
        self.folder, self.cxx = folder, cxx
        self.command = ["dist-run", "-n", "2", f"{models}/digits_mlp.onnx", "--distribute=shard-optimizer=1",
                        "--train=loss=softmax-cross-entropy optimizer=adam global-batch=64",
                        "--dataset", f"{data}/digits_train.npz", "--keep-checkpoint-max", "3"]

    def shim(self, name, body):
        source, library = self.folder / f"{name}.cpp", self.folder / f"{name}.so"
        source.write_text(SHIM % body)
        subprocess.run([self.cxx, "-shared", "-fPIC", "-o", library, source], check=True)
        return {"LD_PRELOAD": str(library)}

    def start(self, run, steps, environment=None, every=5):
        return subprocess.Popen(
            [*self.command, "--model-dir", run, "--steps", str(steps), "--save-checkpoints-steps", str(every)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
            env={**os.environ, **(environment or {})})

    def finish(self, process):
        try:
            output, _ = process.communicate(timeout=SECONDS_TO_START)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            sys.exit(f"a run did not end within {SECONDS_TO_START} s")
        print(output)
        return process.returncode, output


def checkpoints(run):
    """Their steps."""
    return [int(name.stem[len("step-"):]) for name in (run / "checkpoints").glob("step-*.safetensors")
            if "." not in name.stem]


def wait_for_checkpoint(run):
    wait_for(lambda: (run / "checkpoints").exists() and checkpoints(run), "the first checkpoint")


def record(renewals):
    """Of a process of another machine."""
    return json.dumps({"host": "node-of-nowhere", "process": "0123456789ab-4711", "started": 1,
                       "since": "2026-01-31 12:00:00 UTC", "lease": 7, "renewals": renewals})


@contextlib.contextmanager
def renewed(path):
    """Meanwhile another machine renews its record, over what is there."""
    path.write_text(record(1000))
    is_over = threading.Event()

    def renew():
        renewals = 1000
        with open(path, "r+b", buffering=0) as file:
            while not is_over.wait(0.1):
                renewals += 1
                os.pwrite(file.fileno(), record(renewals).encode(), 0)

    thread = threading.Thread(target=renew)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def two_runs(runs, folder):
    """The second is refused; the first is killed, and then nobody has the folder."""
    run = folder / "two"
    local = runs.shim("local", "return 0;")
    first = runs.start(run, 100000000, local, every=20)
    wait_for_checkpoint(run)
    status, output = runs.finish(runs.start(run, 100000000, local))
    require(status == 1 and re.search(r"another run is using '.*/two': process \d+ of '.+', since 20", output),
            "a second run has the folder")
    require(first.poll() is None, "the first run has ended")
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    for child in runs_in(run):
        os.kill(child, signal.SIGKILL)
    require((run / "owner.json").exists(), "a run has no record")
    status, output = runs.finish(runs.start(run, max(checkpoints(run)) + 30, {**local, "TUTTI_LEASE_SECONDS": "86400"}))
    require(status == 0 and "going on after step" in output, "the folder of a killed run is not taken at once")
    require(not (run / "owner.json").exists(), "a run that has ended leaves its record")


def runs_in(run):
    """Ranks that outlive their launcher for a moment."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_rank = b"dist-worker" in (process / "cmdline").read_bytes()
            files = [os.readlink(link) for link in (process / "fd").iterdir()] if is_rank else []
            if str(run / "checkpoints") in files:
                found.append(int(process.name))
    return found


def another_machine(runs, folder):
    run = folder / "machines"
    (run / "checkpoints").mkdir(parents=True)
    owner = run / "owner.json"
    with renewed(owner):
        status, output = runs.finish(runs.start(run, 10))
    require(status == 1 and re.search(r"another run is using '.*/machines': process 4711 of 'node-of-nowhere', since "
                                      "2026-01-31 12:00:00 UTC; wait for it, stop it", output),
            "the folder of another machine is taken")
    require("node-of-nowhere" in owner.read_text(), "the record of another machine is gone")
    status, output = runs.finish(runs.start(run, 10, {"TUTTI_LEASE_SECONDS": "3"}))
    require(status == 0 and re.search(r"note: '.*/machines' is that of process 4711 of 'node-of-nowhere'.* up to 3 s",
                                      output), "a record that stands still keeps the folder")


def taken_meanwhile(runs, folder):
    run = folder / "taken"
    process = runs.start(run, 100000000)
    wait_for_checkpoint(run)
    (folder / "record").write_text(record(1000))
    os.replace(folder / "record", run / "owner.json")
    status, output = runs.finish(process)
    require(status == 1 and re.search(r"another run has taken the folder, .*: process 4711 of 'node-of-nowhere'",
                                      output), "a run goes on in the folder of another")
    require("node-of-nowhere" in (run / "owner.json").read_text(), "the record of the other is gone")


def no_locks(runs, folder):
    status, output = runs.finish(runs.start(folder / "none", 10, runs.shim("none", "errno = ENOLCK; return -1;")))
    require(status == 0 and output.count("has no locks (No locks available)") == 1, "that there are no locks is not said")


def main():
    folder, models, data, cxx = sys.argv[1:]
    folder = pathlib.Path(folder)
    runs = Runs(folder, models, data, cxx)
    for case in (two_runs, another_machine, taken_meanwhile, no_locks):
        case(runs, folder)


if __name__ == "__main__":
    main()
