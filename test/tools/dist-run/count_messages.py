"""count_messages.py MOST_LINES: reads what a run wrote, leaves out what launchers and progress say, and checks that there is one error,
of so many lines at most.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import sys

PROGRESS = re.compile(r"^(compiling |compiled in |training |epoch |$)")
LAUNCHERS = re.compile(r"^(-{5,}$|=+$|=   |Primary job|a non-zero exit code|mpirun|the job to be terminated|  Process name|  Exit code|"
                       r"\[.*\] |YOUR APPLICATION|This typically refers|Please see the FAQ|While the primary job|processes returned a)")


def main():
    most = int(sys.argv[1])
    text = sys.stdin.read()
    lines = [line for line in text.splitlines() if not PROGRESS.match(line) and not LAUNCHERS.match(line)]
    errors = [line for line in lines if "error:" in line]
    if len(errors) != 1 or len(lines) > most:
        sys.exit(f"{len(errors)} errors in {len(lines)} lines:\n{text}")


if __name__ == "__main__":
    main()
