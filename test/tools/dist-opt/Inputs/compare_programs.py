"""Compares two programs as dist-opt prints them: equal but for the names of their resources.

    compare_programs.py FIRST.mlir SECOND.mlir

Prints the first line that differs, if any, and ends with 1 then.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import hashlib
import re
import sys


def read(path):
    """The lines of a program, with the contents of resources in place of their names."""
    with open(path, encoding="utf-8") as file:
        text, _, resources = file.read().partition("{-#")
    contents = {name.strip('"'): hashlib.sha256(value.encode()).hexdigest()
                for name, value in re.findall(r'("[^"]+"|[\w.$-]+): "(0x[0-9A-F]*)"', resources)}
    lines = re.sub(r'dense_resource<"?([^">]+)"?>', lambda match: f"dense_resource<{contents[match.group(1)]}>", text)
    return lines.rstrip().splitlines()


def main():
    first, second = read(sys.argv[1]), read(sys.argv[2])
    for before, after in zip(first, second):
        if before != after:
            sys.exit(f"{sys.argv[1]} and {sys.argv[2]} differ:\n{before}\n{after}")
    if len(first) != len(second):
        sys.exit(f"{sys.argv[1]} has {len(first)} lines, {sys.argv[2]} {len(second)}")


if __name__ == "__main__":
    main()
