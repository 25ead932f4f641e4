"""Checks the table of rules of sharding in docs/layout.md against what dist-opt --sharding-rules prints.

    check_sharding_rules.py PAGE DIST_OPT [--write]

It is the last table under the heading "## Rules of all operations". With `--write` it is written anew.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re
import subprocess
import sys

SECTION = re.compile(r"(?<=\n## Rules of all operations\n)(.*?)(?=\n## |\Z)", re.DOTALL)


def main():
    page, dist_opt = pathlib.Path(sys.argv[1]), sys.argv[2]
    text = page.read_text(encoding="utf-8")
    section = SECTION.search(text)
    if not section:
        sys.exit(f"{page}: there is no heading '## Rules of all operations'")
    table = subprocess.run([dist_opt, "--sharding-rules"], capture_output=True, text=True, check=True).stdout
    head, _, present = section[1].partition("| operation |")
    if "--write" in sys.argv:
        page.write_text(text[:section.start(1)] + head + table + text[section.end(1):], encoding="utf-8")
    elif table.strip() != ("| operation |" + present).strip():
        rows = set(present.splitlines()) ^ set(table.partition("| operation |")[2].splitlines())
        sys.exit(f"{page}: the table is not what dist-opt --sharding-rules prints: {sorted(rows)[:1]}")


if __name__ == "__main__":
    main()
