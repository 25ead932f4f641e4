#!/usr/bin/python3
"""Looks for code of compiler, runtime and tools that opens files for writing past the one writer, runtime/output.

    check_writers.py REPOSITORY

Prints each as file:line: what, and ends with 1 if there is any. allowed_writers.txt lists who may, and why; an entry that nothing
needs is an error too. Comments do not count.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import sys

from check_layering import tracked_files, within

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "allowed_writers.txt")
ROOMS = ("include/", "dialects/", "lib/", "passes/", "runtime/", "tools/")
SUFFIXES = (".h", ".hpp", ".cpp", ".c", ".def")
WRITER = re.compile(
    r"\b(o?fstream\b(?!>)|FILE_WRITE|fopen\s*\((?![^;]*,\s*\"r[be]*\")|freopen|raw_fd_ostream|raw_fd_stream|ToolOutputFile|openOutputFile"
    r"|openFileForWrite|openNativeFileForWrite|FileOutputBuffer|TempFile|O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|creat"
    r"|mkstemps?|mkostemps?|tmpfile|renameat2?|copy_file|OF_Append)\b|\brename\s*\(")
COMMENT = re.compile(r"//.*|/\*.*?\*/")


def read_table(path):
    """{path: why}."""
    with open(path, encoding="utf-8") as file:
        lines = (line.split("#")[0].strip() for line in file)
        return dict((part.strip() for part in line.split(":", 1)) for line in lines if line)


def writers(text):
    """(line, what) for everything that writes files."""
    for number, line in enumerate(text.splitlines(), 1):
        match = WRITER.search(COMMENT.sub("", line))
        if match:
            yield number, match.group(0)


def check(files, table):
    """Breaches as lines of text, from (name, text) of each file."""
    used, result = set(), []
    for name, text in files:
        if not (name.startswith(ROOMS) and name.endswith(SUFFIXES)):
            continue
        allowed = [path for path in table if within(name, path)]
        found = list(writers(text))
        if found:
            used.update(allowed)
        if not allowed:
            result += [f"{name}:{line}: '{what}' writes files: use runtime/output/OutputFile.h" for line, what in found]
    return result + [f"allowed_writers.txt: '{path}' writes no files" for path in table if path not in used]


def contents(repository):
    for name in tracked_files(repository):
        with open(os.path.join(repository, name), encoding="utf-8", errors="replace") as file:
            yield name, file.read()


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = check(contents(sys.argv[1]), read_table(TABLE))
    print("\n".join(found + [f"{len(found)} breaches"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
