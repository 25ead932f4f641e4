"""Checks that a help text lists every pass of every passes/*/*Passes.td under its stage: check_help.py REPOSITORY HELP"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re
import sys


STAGES = ["gradient", "distribution", "communication", "planning", "specialize", "conversion", "bufferization", "memory",
          "codegen", "stablehlo"]


def listed(text):
    """The passes under each heading `Passes of STAGE:`, with what is said of them."""
    stages = {}
    for heading, lines in re.findall(r"^Passes of (\S+):\n((?:  .*\n)+)", text, re.MULTILINE):
        stages[heading] = dict(re.findall(r"^  --(\S+) +(\S.*)$", lines, re.MULTILINE))
    return stages


def main():
    repository, help_text = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
    stages = listed(help_text)
    count = 0
    if list(stages) != STAGES:
        sys.exit(f"the stages stand in the order {list(stages)}, a program passes them in the order {STAGES}")
    for name, summary in (entry for stage in stages.values() for entry in stage.items()):
        if not summary[0].isupper():
            sys.exit(f"the summary of {name} begins with a small letter: {summary}")
    for file in sorted(repository.glob("passes/*/*Passes.td")):
        stage = file.parent.name
        for name in re.findall(r'^def [^"{]*<"([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE):
            count += 1
            if name not in stages.get(stage, {}):
                sys.exit(f"{file}: pass {name} is not among the passes of {stage}")
    if count < 30 or count != sum(map(len, stages.values())):
        sys.exit(f"{count} passes in the files, {sum(map(len, stages.values()))} in the help")


if __name__ == "__main__":
    main()
