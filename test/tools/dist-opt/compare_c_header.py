"""Compares tutti-c/Options.h with what dist-opt's help prints of keys: compare_c_header.py DIST_OPT HEADER."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import subprocess
import sys


def keys_of_help(text):
    """(key, values, default or "", meaning) of each key of a help text, in its order; without names of other frameworks, which are for those who type."""
    found = re.findall(r"^  ([a-z][a-z0-9-]*)=(\S+)(?: \[(.*)\])?\n((?:      .*\n)+)", text, re.MULTILINE)
    return [(key, values, default, " ".join(meaning.split()).partition(". Also called ")[0]) for key, values, default, meaning in found]


def comment(values, default, meaning):
    """As it must stand in the header, where it may not end the comment."""
    text = f"{meaning}. {values}" + (f"; default {default}" if default else "")
    return (text if text.endswith(".") else text + ".").replace("*/", "* /")


def expected(pipeline, keys):
    prefix = f"TUTTI_{pipeline.upper()}_"
    return [(comment(values, default, meaning), prefix + key.upper().replace("-", "_"), key)
            for key, values, default, meaning in keys]


def main():
    tool, header = sys.argv[1:]
    stated = re.findall(r'^/\* (.*) \*/\n#define (TUTTI_\w+) "([^"]+)"$', pathlib.Path(header).read_text(encoding="utf-8"),
                        re.MULTILINE)
    wanted = []
    for pipeline in ("train", "distribute", "compile"):
        shown = subprocess.run([tool, f"--help-{pipeline}"], capture_output=True, text=True, check=True).stdout
        keys = keys_of_help(shown)
        if not keys or len(keys) != len(re.findall(r"^  [a-z]", shown, re.MULTILINE)):
            sys.exit(f"cannot read what {tool} --help-{pipeline} prints:\n{shown}")
        wanted += expected(pipeline, keys)
    for one, other in zip(wanted, stated):
        if one != other:
            sys.exit(f"the help says\n{one}\nthe header\n{other}")
    if len(wanted) != len(stated):
        sys.exit(f"the help has {len(wanted)} keys, the header {len(stated)}")
    print(f"{len(stated)} keys agree")


if __name__ == "__main__":
    main()
