#!/usr/bin/python3
"""Feeds every hostile file of one kind to a command and demands a clean refusal each time.

    refuse_hostile.py .SUFFIX COMMAND...       one word of COMMAND is FILE, which each file takes in turn

A clean refusal: the command ends by itself within 60 s, with a status other than 0, by no signal, with an `error:` on
standard error and without a sanitizer's report, and shows none of the bytes of secret.bin. Prints one line a file.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys
import tempfile

import make_hostile

TIMEOUT_SECONDS = 60
SIGNALS_OF_CRASH = ("Sanitizer", "Stack dump", "terminate called", "Assertion", "core dumped")


def complaint(command, path):
    """What is wrong with how `command` took the file, or an empty text; then its first error line."""
    words = [path if word == "FILE" else word for word in command]
    try:
        done = subprocess.run(words, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"still running after {TIMEOUT_SECONDS} s", ""
    text = done.stderr.decode(errors="replace")
    error = next((line for line in text.splitlines() if "error:" in line), "")
    if done.returncode == 0:
        return "accepted", error
    if done.returncode < 0 or done.returncode >= 126:
        return f"ended with status {done.returncode}", error
    for sign in SIGNALS_OF_CRASH:
        if sign in text:
            return f"crashed ({sign})", error
    if not error:
        return "refused without an `error:` line", error
    if b"\x2a" * 16 in done.stdout or b"2A2A2A2A2A2A2A2A" in done.stdout:
        return "read the secret", error
    return "", error


def main():
    if len(sys.argv) < 3 or "FILE" not in sys.argv[2:]:
        print(__doc__, file=sys.stderr)
        return 2
    suffix, command = sys.argv[1], sys.argv[2:]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        files = os.path.join(folder, "files")
        reasons = {name: why for name, why in make_hostile.make_all(files).items() if name.endswith(suffix)}
        for name, why in sorted(reasons.items()):
            wrong, error = complaint(command, os.path.join(files, name))
            failures += bool(wrong)
            print(f"{'FAILED ' + wrong if wrong else 'refused'}: {name} ({why}): {error}")
    print(f"{len(reasons) - failures} of {len(reasons)} {suffix} files refused")
    return 1 if failures or not reasons else 0


if __name__ == "__main__":
    sys.exit(main())
