#!/usr/bin/python3
"""Holds the texts of docs/troubleshooting.md against the messages in the sources: check_error_texts.py REPOSITORY

Each text in the first column must stand in a message of compiler, runtime or tools; literals that follow each other are one text.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys

ROOMS = ("lib", "passes", "runtime", "tools", "dialects")
LITERALS = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"(?:[^"\\\n]|\\.)*")*')


def messages(root):
    """All literals of the sources, one a line."""
    found = []
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.cpp")):
            text = re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
            found += ["".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', match.group())) for match in LITERALS.finditer(text)]
    return "\n".join(found)


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    rows = [row for row in re.findall(r"^\| (`.*?) \| .* \|$", page, re.MULTILINE)]
    said = messages(root)
    missing = [text for row in rows for text in re.findall(r"`([^`]+)`", row) if text not in said]
    print("\n".join(f"no message says '{text}'" for text in missing))
    print(f"{len(rows)} errors, {len(missing)} that nothing says")
    return 1 if missing or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
