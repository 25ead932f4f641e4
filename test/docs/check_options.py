"""Checks the tables of docs/options.md against what the tools say of themselves.

    check_options.py PAGE DIST_OPT [--write]

Under a heading "## `--NAME`" stands a table with a row for each key that `dist-opt --help-NAME` lists, in its order. With
`--write` the tables are written anew.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re
import subprocess
import sys

HEAD = "| key | values | default | meaning |\n| --- | --- | --- | --- |\n"


def rows(help_text):
    """A table row for each key of a help text."""
    result = []
    for key, values, default, text in re.findall(r"^  ([a-z0-9-]+)=(\S+)(?: \[(.*)\])?\n((?:      .*\n)+)", help_text,
                                                 re.MULTILINE):
        meaning = " ".join(text.split())
        cells = (f"`{key}`", "`" + values.replace("|", "\\|") + "`", default, meaning)
        result.append("| " + " | ".join(cells) + " |\n")
    return result


def main():
    page, dist_opt = pathlib.Path(sys.argv[1]), sys.argv[2]
    text = page.read_text(encoding="utf-8")
    names = re.findall(r"^## `--([a-z-]+)`$", text, re.MULTILINE)
    if names != ["train", "distribute", "read", "compile"]:
        sys.exit(f"{page}: tables of {names}")
    for name in names:
        help_text = subprocess.run([dist_opt, f"--help-{name}"], capture_output=True, text=True, check=True).stdout
        expected = rows(help_text)
        if not expected or len(expected) != len(re.findall(r"^  [a-z]", help_text, re.MULTILINE)):
            sys.exit(f"cannot read what dist-opt --help-{name} prints:\n{help_text}")
        section = re.compile(rf"(?<=\n## `--{name}`\n)(.*?)(?=\n## |\Z)", re.DOTALL)
        table = "".join([HEAD, *expected])
        if "--write" in sys.argv:
            text = section.sub(lambda match: re.sub(r"\n\| key .*", "\n" + table.replace("\\", r"\\"), match[1],
                                                    flags=re.DOTALL), text)
        elif table not in section.search(text)[1] or section.search(text)[1].count("\n| `") != len(expected):
            missing = [row for row in expected if row not in text]
            sys.exit(f"{page}: the table of --{name} is not what dist-opt --help-{name} says: {missing or 'rows are too many'}")
    if "--write" in sys.argv:
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
