#!/usr/bin/python3
"""Looks for passes and analyses that name an operation of the dialect collective, where they should ask its interfaces.

    check_collectives.py REPOSITORY

What asks interfaces works on the collectives of any dialect (dialects/interfaces/ranks/Communication.h). Prints each breach as
file:line: what, and how many lines of each room name an operation; ends with 1 if there is a breach. allowed_collectives.txt
lists who may, and why; an entry that nothing needs is an error too. Comments do not count.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import collections
import glob
import os
import re
import sys

from check_layering import within
from check_writers import contents, read_table

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "allowed_collectives.txt")
ROOMS = ("passes/", "lib/")
SUFFIXES = (".h", ".cpp")
DEFINITION = re.compile(r"^def Collective_(\w+Op|\w+Attr)\b", re.MULTILINE)
GIVERS = {"lookupGroup"}  # functions whose result is an operation of the dialect
COMMENT = re.compile(r"//.*|/\*.*?\*/")
OPENED = re.compile(r"using\s+namespace\s+(tutti::)?collective\s*;|namespace\s+tutti::collective\b")


def operations(repository):
    """The names of the classes of the dialect's operations, from its tables."""
    names = set()
    for path in glob.glob(os.path.join(repository, "dialects", "collective", "*.td")):
        with open(path, encoding="utf-8") as file:
            names.update(DEFINITION.findall(file.read()))
    return names


def naming(text, names):
    """(line, class) for every operation of the dialect that the text of a file names."""
    bare = "|".join(sorted(names | GIVERS))
    qualified = re.compile(rf"(?:^|[^\w])collective::({bare})\b")
    any_name = re.compile(rf"(?<![\w:.>])({bare})\b")
    taken = set(re.findall(r"using\s+(?:tutti::)?collective::(\w+)\s*;", text))
    is_open = OPENED.search(text) is not None
    for number, line in enumerate(text.splitlines(), 1):
        code = COMMENT.sub("", line)
        found = qualified.search(code)
        if not found:
            found = next((match for match in any_name.finditer(code) if is_open or match.group(1) in taken), None)
        if found:
            yield number, found.group(1)


def check(files, table, names):
    """Breaches as lines of text, and the number of lines that name an operation by room, of (name, text) of each file."""
    used, result, counts = set(), [], collections.Counter()
    for name, text in files:
        if not (name.startswith(ROOMS) and name.endswith(SUFFIXES)):
            continue
        found = list(naming(text, names))
        counts["/".join(name.split("/")[:2])] += len(found)
        allowed = [path for path in table if within(name, path)]
        if found:
            used.update(allowed)
        if not allowed:
            result += [f"{name}:{line}: '{what}' is of one dialect: ask CommunicationOpInterface, or the factory of the dialect"
                       for line, what in found]
    return result + [f"allowed_collectives.txt: '{path}' names no operation" for path in table if path not in used], counts


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    names = operations(sys.argv[1])
    if not names:
        print(f"{sys.argv[1]} has no tables of the dialect collective: is it the repository?", file=sys.stderr)
        return 2
    found, counts = check(contents(sys.argv[1]), read_table(TABLE), names)
    for room, count in sorted(counts.items()):
        print(f"{room}: {count}")
    print("\n".join(found + [f"{len(found)} breaches"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
