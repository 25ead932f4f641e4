#!/usr/bin/python3
"""Looks for words that the project does not use: names, comments, messages and pages have those of the field.

    check_words.py REPOSITORY

Prints each as file:line: what, and ends with 1 if there is any. words.txt has the words, and what to say instead. A word counts in any
case, with an s behind it, and as a part of a name: `clerk`, `Clerks`, `RowClerk`, `row_clerk`. Marks that a merge leaves in a file are found, too.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import sys

from check_writers import contents, read_table

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")
SUFFIXES = (".h", ".cpp", ".c", ".def", ".td", ".proto", ".md", ".py", ".test", ".mlir", ".txt", ".cmake")
MERGE = re.compile(r"(<{7}|>{7}|\|{7}) |={7}$")
OWN = ("CONTRIBUTING.md", "test/layering/words.txt", "test/layering/check_words.py", "test/layering/test_check_words.py")


def pattern(word):
    """Matches the word where it begins a word or, with a capital, a part of a name."""
    return re.compile(rf"(?:(?<![A-Za-z]){word}|{word.capitalize()}|(?<![A-Z]){word.upper()})(?:s|S)?(?![a-z])")


def check(files, words):
    patterns = [(word, instead, pattern(word)) for word, instead in words.items()]
    return [f"{name}:{number}: '{word}': say {instead}"
            for name, text in files if name.endswith(SUFFIXES) and name not in OWN
            for number, line in enumerate(text.splitlines(), 1)
            for word, instead, expression in patterns if expression.search(line)]


def check_merges(files):
    return [f"{name}:{number}: a merge was left undone here: keep what is right, and delete the mark"
            for name, text in files if name.endswith(SUFFIXES)
            for number, line in enumerate(text.splitlines(), 1) if MERGE.match(line)]


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    files = list(contents(sys.argv[1]))
    found = check(files, read_table(TABLE)) + check_merges(files)
    print("\n".join(found + [f"{len(found)} words"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
