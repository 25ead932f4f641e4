"""Compares the keys of tutti-c/Options.h with those that dist-opt's help prints: compare_c_header.py DIST_OPT HEADER."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import subprocess
import sys


def main():
    tool, header = sys.argv[1:]
    text = pathlib.Path(header).read_text(encoding="utf-8")
    count = 0
    for pipeline in ("train", "distribute", "compile"):
        shown = subprocess.run([tool, f"--help-{pipeline}"], capture_output=True, text=True, check=True).stdout
        of_help = re.findall(r"^  ([a-z][a-z0-9-]*)=", shown, re.MULTILINE)
        stated = re.findall(rf'#define TUTTI_{pipeline.upper()}_(\w+) "([^"]+)"', text)
        of_header = [key for _, key in stated]
        if of_help != of_header or not of_help:
            sys.exit(f"--help-{pipeline} has {of_help}, the header has {of_header}")
        for constant, key in stated:
            if constant != key.upper().replace("-", "_"):
                sys.exit(f"{key} is called {constant}")
        count += len(stated)
    print(f"{count} keys agree")


if __name__ == "__main__":
    main()
