#!/usr/bin/python3
"""Checks the rules of the house that no compiler sees; prints each breach as file:line: what, and ends with 1 if any.

    check_layering.py REPOSITORY

Rules: includes follow allowed_includes.txt; no source file is longer than 500 lines; no file or folder is named utils,
helpers, common, misc or base; no folder of production code has more than 30 files beside its CMakeLists.txt; every source file opens with what it is for and has the SPDX line in its first ten lines.
Only files that git tracks or would track are looked at.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import subprocess
import sys

MAXIMUM_LINES = 500
MAXIMUM_FILES = 30
PRODUCTION = ("bindings/", "dialects/", "include/", "lib/", "passes/", "runtime/", "tools/")
FORBIDDEN_NAMES = {"util", "utils", "helper", "helpers", "common", "misc", "base"}
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
C_SUFFIXES = (".h", ".hpp", ".cpp", ".c", ".td", ".def")
SOURCE_SUFFIXES = C_SUFFIXES + (".py", ".sh")
LIBRARIES = {
    "mlir:": re.compile(r"^(mlir|llvm|lld|mlir-c|llvm-c)/"),
    "onnx:": re.compile(r"^(onnx|google/protobuf)/"),
    "dnnl:": re.compile(r"^(oneapi/dnnl/|dnnl)"),
    "json:": re.compile(r"^nlohmann/"),
    "zip:": re.compile(r"^zip(conf)?\.h$"),
    "image:": re.compile(r"^(jpeglib|jerror|png)\.h$"),
    "gtest:": re.compile(r"^(gtest|gmock)/"),
    "benchmark:": re.compile(r"^benchmark/"),
    "mpi:": re.compile(r"^mpi\.h$"),
    "gloo:": re.compile(r"^gloo/"),
    "grpc:": re.compile(r"^grpcpp/"),
    "rocksdb:": re.compile(r"^rocksdb/"),
    "hwloc:": re.compile(r"^hwloc"),
    "pmix:": re.compile(r"^pmix"),
}
INCLUDE = re.compile(r'^\s*#?\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
OWN_ROOTS = ("dialects/", "lib/", "passes/", "runtime/", "bindings/", "tools/", "test/", "tutti/", "tutti-c/", "include/tutti/")
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "allowed_includes.txt")


def read_table(path):
    """{room: [allowed prefixes and library words]}."""
    table = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.split("#")[0].strip()
            if line:
                room, allowed = line.split(":", 1)
                table[room.strip()] = allowed.split()
    return table


def within(path, folder):
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def room_of(path, table):
    """The longest room that holds the file, or None."""
    return max((room for room in table if within(path, room)), key=len, default=None)


def library_of(target):
    return next((word for word, pattern in LIBRARIES.items() if pattern.match(target)), None)


def resolve(target, path, files):
    """The repository path that an include names, or None where it is no file of ours."""
    if target.startswith(("tutti/", "tutti-c/")):
        return "include/" + target
    beside = os.path.normpath(os.path.join(os.path.dirname(path), target))
    if target.startswith(OWN_ROOTS):
        return target
    return beside if beside in files else None


def include_breach(target, path, room, allowed, files):
    """Why this include is not allowed, or None."""
    own = resolve(target, path, files)
    if own is None:
        library = library_of(target)
        if library is None or library in allowed:
            return None
        return f"{room} may not include <{target}> ({library[:-1]} is not among its libraries)"
    if within(own, room) or any(within(own, prefix) for prefix in allowed):
        return None
    return f"{room} may not include {own}"


def include_breaches(path, lines, table, files):
    room = room_of(path, table)
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1) or match.group(2)
        if room is None:
            breach = "no room in test/layering/allowed_includes.txt holds this file"
        else:
            breach = include_breach(target, path, room, table[room], files)
        if breach:
            yield number, breach


def header_breaches(lines):
    """The first line that isn't a shebang, an encoding or a mode line says what the file is for."""
    body = [line for line in lines[:12] if not line.startswith("#!")]
    first = body[0] if body else ""
    text = re.sub(r'^[\s/*#"]+|-\*-.*-\*-', "", first).strip()
    if not re.match(r'^(//|/\*|#(?!include|ifn?def|pragma|define)|""")', first) or len(text) < 8 or "SPDX" in first:
        yield 1, "the first line must be a comment that says what the file is for"
    if not any(SPDX in line for line in lines[:20]):
        yield 1, f"no '{SPDX}' at the top"


def name_breaches(path):
    for part in path.split("/"):
        stem = part.split(".")[0].lower()
        if stem in FORBIDDEN_NAMES or set(re.split(r"[_-]", stem)) & FORBIDDEN_NAMES or \
                set(re.findall(r"[A-Z][a-z]+", part.split(".")[0])) & {n.capitalize() for n in FORBIDDEN_NAMES}:
            yield 1, f"'{part}' is a name without a noun: find the concept it stands for"


def breaches(path, text, table, files):
    """(line, what) for everything wrong with one file."""
    yield from name_breaches(path)
    if not path.endswith(SOURCE_SUFFIXES):
        return
    lines = text.splitlines()
    if len(lines) > MAXIMUM_LINES:
        yield len(lines), f"{len(lines)} lines; split along a noun at {MAXIMUM_LINES}"
    yield from header_breaches(lines)
    if path.endswith(C_SUFFIXES):
        yield from include_breaches(path, lines, table, files)


def tracked_files(repository):
    listing = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"],
                             cwd=repository, capture_output=True, check=True).stdout.decode()
    return sorted({name for name in listing.split("\0") if name and os.path.isfile(os.path.join(repository, name))})


def crowded_rooms(names):
    """Folders of production code with too many files."""
    counts = {}
    for name in names:
        folder, file = os.path.split(name)
        if name.startswith(PRODUCTION) and file != "CMakeLists.txt":
            counts[folder] = counts.get(folder, 0) + 1
    return [f"{folder}: {count} files; divide it along a noun at {MAXIMUM_FILES}"
            for folder, count in sorted(counts.items()) if count > MAXIMUM_FILES]


def check(repository, table):
    """All breaches as lines of text."""
    names = tracked_files(repository)
    result = crowded_rooms(names)
    for name in names:
        with open(os.path.join(repository, name), encoding="utf-8", errors="replace") as file:
            text = file.read()
        result += [f"{name}:{line}: {what}" for line, what in breaches(name, text, table, set(names))]
    return result, len(names)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found, count = check(sys.argv[1], read_table(TABLE))
    print("\n".join(found + [f"{len(found)} breaches in {count} files"]))
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
