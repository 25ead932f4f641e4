"""Compares what dist-opt's help says of passes with every passes/*/*.td: check_help.py REPOSITORY DIST_OPT

--help lists each pass under its stage, with its summary; --help-NAME has its options, and what is said of each."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re
import subprocess
import sys

STAGES = ["gradient", "distribution", "communication", "planning", "search", "specialize", "conversion", "bufferization", "memory",
          "codegen", "stablehlo"]
TABLEGEN = ["/usr/lib/llvm-22/bin/mlir-tblgen", "--gen-pass-doc", "-I", "/usr/lib/llvm-22/include", "-I"]


def output_of(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def joined(text):
    return " ".join(text.split())


def listed(text):
    """The passes under each heading `Passes of STAGE:`, with what is said of them."""
    stages = {}
    for heading, lines in re.findall(r"^Passes of (\S+):\n((?:  .*\n)+)", text, re.MULTILINE):
        stages[heading] = dict(re.findall(r"^  --(\S+) +(\S.*)$", lines, re.MULTILINE))
    return stages


def options_of_table(section):
    """{option: what is said of it} in the text that mlir-tblgen makes of a pass."""
    options = re.search(r"#### Options\n\n```\n(.*?)```", section, re.DOTALL)
    return {name: joined(text) for name, text in re.findall(r"^-(\S+) +: (.*(?:\n  .*)*)", options[1] if options else "", re.MULTILINE)}


def passes_of(repository, file):
    """(name, summary, options) of each pass of a table."""
    sections = re.split(r"^### `-(.*)`\n\n_(.*)_$", output_of(*TABLEGEN, repository, file), flags=re.MULTILINE)
    for name, summary, section in zip(sections[1::3], sections[2::3], sections[3::3]):
        yield name, summary, options_of_table(section)


def options_of_help(text):
    """The same in what --help-NAME prints; the values of an option stand after it, each with a text of its own."""
    return dict(re.findall(r"^    --([a-z0-9-]+)(?:=\S+)? +- (.*)$", text, re.MULTILINE))


def keys_of_recipes(dist_opt):
    """train-apply-recipe has the keys of --train, of which --help-train says what they are."""
    return {key: "" for key in re.findall(r"^  ([a-z][a-z0-9-]*)=", output_of(dist_opt, "--help-train"), re.MULTILINE)}


def check_pass(dist_opt, name, summary, options, said):
    if said != summary:
        sys.exit(f"--help says of {name}: {said}; its table says: {summary}")
    if not summary[0].isupper():
        sys.exit(f"the summary of {name} begins with a small letter: {summary}")
    if name == "train-apply-recipe":
        options = keys_of_recipes(dist_opt)
    shown = options_of_help(output_of(dist_opt, f"--help-{name}"))
    if shown != options:
        sys.exit(f"--help-{name} has the options {shown}, its table {options}")
    return len(options)


def main():
    repository, dist_opt = pathlib.Path(sys.argv[1]), sys.argv[2]
    stages = listed(output_of(dist_opt, "--help"))
    count = options = 0
    if list(stages) != STAGES:
        sys.exit(f"the stages stand in the order {list(stages)}, a program passes them in the order {STAGES}")
    for file in sorted(repository.glob("passes/*/*.td")):
        for name, summary, own in passes_of(repository, file):
            if name not in stages.get(file.parent.name, {}):
                sys.exit(f"{file}: pass {name} is not among the passes of {file.parent.name}")
            options += check_pass(dist_opt, name, summary, own, stages[file.parent.name][name])
            count += 1
    if count < 30 or count != sum(map(len, stages.values())):
        sys.exit(f"{count} passes in the files, {sum(map(len, stages.values()))} in the help")
    print(f"{count} passes with {options} options agree")


if __name__ == "__main__":
    main()
