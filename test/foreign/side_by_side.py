#!/usr/bin/python3
"""Runs passes on programs in the dialect collective, and on the same programs in a dialect that the passes never heard of.

    side_by_side.py FOREIGN_OPT PASSES FILE AT_LEAST [ONLY]

FILE holds programs, one after another with `// -----` or `//--- NAME` between. Each goes through PASSES (a textual pipeline, "a,b{c=d}") as it
is; then it is written in the dialect exchange, goes through the same passes, and is written back. The programs that come out,
the diagnostics and the remarks must be equal, but for names of operations. What exchange cannot say (collectives on buffers,
say) is left out of both; fewer than AT_LEAST compared ones are an error. With ONLY, programs without this text are left out.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import difflib
import os
import re
import subprocess
import sys
import tempfile

NAMES = re.compile(r"'?\b(?:collective|exchange)\.[a-z_]+'?")
UNKNOWN = "has no counterpart in the other dialect"


def run(tool, passes, path):
    """(status, output, messages) of `passes` on the file; positions of text are those of the file."""
    pipeline = f"builtin.module({passes})"
    done = subprocess.run([tool, f"--pass-pipeline={pipeline}", "--remarks-filter=.*", "--mlir-print-local-scope", "--allow-unregistered-dialect", path],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def without_names(messages):
    """Messages as one sees them in any dialect: no names of operations, no quotations of them."""
    lines = [NAMES.sub("OPERATION", line) for line in messages.splitlines() if "see current operation" not in line]
    return [line for line in lines if "%" not in line and "^" not in line]


def without_operations(program):
    """What distribute-print-uniformity says of each operation, without its text; other programs as they are."""
    return [re.sub(r"^(\s+(?:(?:divergent|uniform|varying) )+).*", r"\1", line) for line in program.splitlines()]


def differences(name, left, right):
    return "\n".join(difflib.unified_diff(left, right, f"{name} in collective", f"{name} in exchange", lineterm=""))


def compare(tool, passes, path):
    """What differs, as text; None where exchange cannot say the program."""
    status, _, messages = run(tool, "keep-translatable,to-exchange", path)
    if status != 0:
        return None if UNKNOWN in messages or "collective." not in open(path, encoding="utf-8").read() else messages
    ours = run(tool, f"keep-translatable,{passes}", path)
    theirs = run(tool, f"keep-translatable,to-exchange,{passes},from-exchange", path)
    return "\n".join(filter(None, [
        "" if ours[0] == theirs[0] else f"status {ours[0]} in collective, {theirs[0]} in exchange\n{ours[2]}{theirs[2]}",
        differences("program", without_operations(ours[1]), without_operations(theirs[1])),
        differences("messages", without_names(ours[2]), without_names(theirs[2])),
    ]))


def main():
    if len(sys.argv) not in (5, 6):
        print(__doc__, file=sys.stderr)
        return 2
    tool, passes, source, at_least = sys.argv[1:5]
    with open(source, encoding="utf-8") as file:
        programs = re.split(r"^(?:// -----.*|//--- .*)\n", file.read(), flags=re.MULTILINE)
    compared, failed = 0, 0
    for number, program in enumerate(programs):
        if len(sys.argv) == 6 and sys.argv[5] not in program:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            found = compare(tool, passes, path)
        compared += found is not None
        if found:
            failed += 1
            print(f"program {number} of {source}:\n{found}\n")
    print(f"{compared} programs compared, {failed} differ")
    return 1 if failed or compared < int(at_least) else 0


if __name__ == "__main__":
    sys.exit(main())
