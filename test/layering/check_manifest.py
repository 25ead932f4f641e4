#!/usr/bin/python3
"""Compares the three who know the fields of a manifest: include/tutti/program.h, which describes them, the compiler, which writes
them, and the runtime, which reads them.

    check_manifest.py REPOSITORY

Every field that is written is described, and the other way round; whatever is read is written. Prints what is not so, and ends with 1 then.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import sys

DESCRIPTION = "include/tutti/program.h"
WRITERS = ("lib/execution/Manifest.cpp", "lib/program/Groups.cpp", "lib/program/plan/PlanText.cpp")
READER = "runtime/host/program/Manifest.cpp"
# Values that the description quotes as it quotes fields.
VALUES = {"servers"}
WRITTEN = (r'\{"(\w+)",',                          # {"name", value} of a json::Object
           r'\w+\)?\["(\w+)"\] =',                 # object["name"] = value
           r'noteNamed\([^;]*"(\w+)", metrics\)')  # a field that names another metric
READ = (r'(?:field|string_of|truth_of|integer_of|list_of|number_of|shape_of|tensors_of|contains|beside|word_of<[\w:]+>)\(\s*[^()"]*"(\w+)"',
        r'\["(\w+)"\]')


def found(text, patterns):
    return {name for pattern in patterns for name in re.findall(pattern, text)}


def described(header):
    """The fields of the comment on the manifest."""
    comment = re.search(r"/\* The manifest, a JSON object.*?\*/", header, re.DOTALL)
    return set(re.findall(r'"(\w+)"', comment.group())) - VALUES


def written(sources):
    names = set()
    for text in sources:
        names |= found(text, WRITTEN)
        for listed in re.findall(r'for \(StringRef name : \{("\w+"(?:, "\w+")+)\}\)', text):
            names |= set(re.findall(r"\w+", listed))
    return names


def check(header, writers, reader):
    known, made = described(header), written(writers)
    read = found(reader, READ)
    return ([f"'{name}' is written, and {DESCRIPTION} does not describe it" for name in sorted(made - known)] +
            [f"'{name}' is described, and nothing writes it" for name in sorted(known - made)] +
            [f"'{name}' is read, and nothing writes it" for name in sorted(read - made)])


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    texts = {}
    for name in (DESCRIPTION, *WRITERS, READER):
        with open(os.path.join(sys.argv[1], name), encoding="utf-8") as file:
            texts[name] = file.read()
    wrong = check(texts[DESCRIPTION], [texts[name] for name in WRITERS], texts[READER])
    print("\n".join(wrong + [f"{len(described(texts[DESCRIPTION]))} fields, {len(wrong)} that differ"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
