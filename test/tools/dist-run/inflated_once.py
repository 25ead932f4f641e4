"""Starts `dist-run ...`, or a launcher of it, and checks that all its ranks have the same memory with each array of a .npz:

    inflated_once.py RANKS FILE.npz COMMAND...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

SECONDS_TO_START = 120
SECONDS_TO_END = 20


def descendants(pid):
    """All processes below one."""
    found = []
    try:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child), *descendants(int(child))]
    except OSError:
        pass # it has ended
    return found


def arrays(pid, file):
    """The inodes of the sealed files with the arrays of `file` that a worker maps; none of another process."""
    try:
        if not pathlib.Path(f"/proc/{pid}/exe").resolve().name == "dist-worker":
            return None
        maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return None
    return set(re.findall(rf"r--s \S+ \S+ (\d+) +/memfd:\S*{re.escape(file)}: (\S+)", maps))


def end(process):
    """Not every launcher ends what it has started, nor itself once its ranks end beside it."""
    below = descendants(process.pid)
    process.terminate()
    try:
        process.wait(timeout=SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pid in below:
        try:
            if pathlib.Path(f"/proc/{pid}/exe").resolve().name in ("dist-run", "dist-worker"):
                os.kill(pid, signal.SIGKILL)
        except OSError:
            pass # it has ended


def main():
    ranks, file, *command = int(sys.argv[1]), pathlib.Path(sys.argv[2]).name, *sys.argv[3:]
    process = subprocess.Popen(command)
    try:
        found = []
        for _ in range(SECONDS_TO_START * 20):
            found = [those for pid in descendants(process.pid) if (those := arrays(pid, file))]
            if len(found) == ranks and all(len(those) == len(found[0]) for those in found):
                break
            if process.poll() is not None:
                sys.exit(f"the run ended with {process.returncode}; seen: {found}")
            time.sleep(0.05)
        different = set().union(*found)
        print(f"{len(found)} ranks, {len(found[0]) if found else 0} arrays each, {len(different)} in all")
    finally:
        end(process)


if __name__ == "__main__":
    main()
