"""Reads programs with the C API and with dist-opt, and compares what they print: compare_readings.py TOOLS FILE_OR_FOLDER..."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import subprocess
import sys


def main():
    tools, *places = map(pathlib.Path, sys.argv[1:])
    files = [file for place in places for file in (sorted(place.rglob("*.mlir")) if place.is_dir() else [place])]
    accepted = 0
    for file in files:
        ours = subprocess.run([tools / "drive-c", file, "print"], capture_output=True, check=False)
        theirs = subprocess.run([tools / "dist-opt", file], capture_output=True, check=False)
        if ours.returncode != theirs.returncode or (ours.returncode == 0 and ours.stdout != theirs.stdout):
            sys.exit(f"{file}: the C API says\n{ours.stderr.decode() or ours.stdout.decode()}\nbut dist-opt\n"
                     f"{theirs.stderr.decode() or theirs.stdout.decode()}")
        accepted += ours.returncode == 0
    print(f"{len(files)} programs, {accepted} of them accepted by both")
    if not 0 < accepted:
        sys.exit("no program was accepted, so nothing is shown")


if __name__ == "__main__":
    main()
