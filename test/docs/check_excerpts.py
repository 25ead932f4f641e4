"""Checks that the nth ```LANGUAGE block of a page stands, line by line and in order, in the nth file given.

    check_excerpts.py [--language=LANGUAGE] PAGE FILE ...      the language is mlir unless one is given
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys


def first_missing(lines, text):
    """The first of `lines` that does not come in `text` after those before it, or None."""
    position = 0
    for line in lines:
        position = text.find(line.strip(), position)
        if position < 0:
            return line
        position += len(line.strip())
    return None


def main():
    arguments, language = sys.argv[1:], "mlir"
    if arguments[0].startswith("--language="):
        language = arguments.pop(0).partition("=")[2]
    page, *outputs = map(pathlib.Path, arguments)
    excerpts = re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)
    if len(excerpts) != len(outputs):
        sys.exit(f"{page} has {len(excerpts)} excerpts, {len(outputs)} files were given")
    for excerpt, output in zip(excerpts, outputs):
        missing = first_missing(excerpt.splitlines(), output.read_text())
        if missing:
            sys.exit(f"{page}: not printed by the tool, or out of order: {missing}")


if __name__ == "__main__":
    main()
