#!/usr/bin/python3
"""Writes the files of a new strategy, pass or operator, and its tests, from the templates beside this script.

    new.py [--root FOLDER] strategy NAME
    new.py [--root FOLDER] pass STAGE/NAME
    new.py [--root FOLDER] operator NAME --formula EXPRESSION --slope EXPRESSION

NAME is written LikeThis; STAGE is a folder of passes/. A strategy is a file of keys and a pass of the distribution stage. An operator is
one of ONNX that works on each element X by itself; docs/adding-an-operator.md says what expressions are. What is written builds, is
formatted, and refuses to run where something is left to be written. A name that is taken is refused, and nothing is written then.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

FORMAT = "clang-format-14"
TEMPLATES = pathlib.Path(__file__).resolve().parent / "templates"
# What the names of the passes of a stage begin with.
PREFIXES = {"communication": "collective-", "conversion": "convert-", "distribution": "distribute-", "gradient": "train-",
            "planning": "collective-", "specialize": "specialize-", "stablehlo": "stablehlo-", "bufferization": "lower-",
            "codegen": "lower-", "memory": "lower-"}


class Refusal(Exception):
    """Why nothing can be written."""


def split_words(name):
    return re.findall(r"[A-Z][a-z0-9]*", name)


def fill(template, values):
    text = (TEMPLATES / template).read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def values_of(name, stage="distribution"):
    words = [word.lower() for word in split_words(name)]
    flag = "-".join(words)
    prefix = PREFIXES[stage]
    return {"Name": name, "name": name[0].lower() + name[1:], "NAME": name.upper(), "flag": flag, "stage": stage,
            "pass": flag if flag.startswith(prefix) else prefix + flag, "words": " ".join(words), "name_": "_".join(words)}


class Change:
    """Files to be written, all or none."""

    def __init__(self, root):
        self.root, self.files, self.edits = root, {}, {}

    def write(self, path, text):
        if (self.root / path).exists():
            raise Refusal(f"{path} exists")
        self.files[path] = text

    def edit(self, path, change):
        self.edits[path] = change((self.root / path).read_text())

    def make(self):
        for path, text in {**self.files, **self.edits}.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
            if path.endswith(".cpp") and shutil.which(FORMAT):
                subprocess.run([FORMAT, "-i", self.root / path], check=True)  # where lines break depends on the name
            print(f"{'wrote' if path in self.files else 'added to'} {path}")


def check_free(root, pattern, expression, what):
    for path in sorted(root.glob(pattern)):
        if re.search(expression, path.read_text(), re.MULTILINE):
            raise Refusal(f"{what} exists: {path.relative_to(root)}")


def add_source(text, name):
    """`name`.cpp among the sources of the library, by its name."""
    begin = text.index("SOURCES ") + len("SOURCES ")
    sources = list(re.finditer(r"(?<=\s)([\w/.]+)\.cpp", text[begin - 1:text.index("DEPENDS", begin)]))
    for match in sources:
        source = match.group(1)
        if "/" in source or source.lower() > name.lower():
            at = begin - 1 + match.start()
            return f"{text[:at]}{name}.cpp {text[at:]}"
    at = begin - 1 + sources[-1].end()
    return f"{text[:at]} {name}.cpp{text[at:]}"


def new_pass(change, stage, name):
    values = values_of(name, stage)
    check_free(change.root, "passes/*/*.td", rf'^def {name}Pass\b|<"{values["pass"]}"', f"a pass {name}")
    change.write(f"passes/{stage}/{name}.cpp", fill("pass.cpp.in", values))
    change.write(f"test/passes/{stage}/{values['pass']}.mlir", fill("pass.mlir.in", values))
    if stage != "distribution":
        change.edit(f"passes/{stage}/Passes.td", lambda text: re.sub(
            r"\n#endif", lambda end: "\n" + fill("pass.td.in", values) + end.group(), text.rstrip() + "\n"))
        change.edit(f"passes/{stage}/CMakeLists.txt", lambda text: add_source(text, name))
        return [f"say what it does in passes/{stage}/Passes.td, and do it in {name}.cpp"]
    change.write(f"passes/{stage}/{name}.td", fill("distribution.td.in", values))
    return [f"say what it does in passes/{stage}/{name}.td, and do it in {name}.cpp"]


def new_strategy(change, name):
    values = values_of(name)
    check_free(change.root, "docs/options.md", rf"^\| `{values['flag']}` \|", f"the key {values['flag']}")
    change.write(f"passes/strategies/{name}.cpp", fill("strategy.cpp.in", values))
    new_pass(change, "distribution", name)
    change.files[f"passes/distribution/{name}.td"] = fill("strategy.td.in", values)
    change.write(f"test/equivalence/{values['flag']}.test", fill("strategy.test.in", values))
    return [f"its keys and conflicts: passes/strategies/{name}.cpp; its work: passes/distribution/{name}.cpp",
            f"a value of {values['flag']} for VALUES in test/zoo/sweep.py",
            "test/docs/check_options.py docs/options.md build/bin/dist-opt --write"]


def new_operator(change, name, formula, slope):
    values = {**values_of(name), "formula": formula, "slope": slope}
    check_free(change.root, "dialects/onnx/**/*.td", rf"^def Onnx_{name}Op\b", f"the operator {name}")
    cases, examples = "test/equivalence/gradients/cases/activations.mlir", "test/lib/layout/Inputs/examples/elementwise.mlir"
    change.edit("dialects/onnx/elementwise/Activations.td", lambda text: re.sub(
        r"\n#endif", lambda end: "\n" + fill("operator.td.in", values) + end.group(), text.rstrip() + "\n"))
    change.edit(cases, lambda text: text.rstrip() + "\n\n" + fill("operator.case.in", values))
    change.edit(examples, lambda text: text.rstrip() + "\n\n" + fill("operator.example.in", values))
    return ["ninja -C build dist-opt gradient_tests execution-tests; build/bin/gradient_tests --gtest_filter='*"
            f"{values['name_']}*'",
            "what its slope is at kinks, and at infinity: test/equivalence/edges/edge_cases.py"]


def check_name(name):
    if not re.fullmatch(r"([A-Z][a-z0-9]+)+", name):
        raise Refusal(f"'{name}' is no name LikeThis: words with a capital each, letters and digits")


def plan(change, arguments):
    """What is left to do after `change`."""
    if arguments.kind == "pass":
        stage, _, name = arguments.name.partition("/")
        if stage not in PREFIXES or not name:
            raise Refusal(f"'{arguments.name}' is no STAGE/NAME; stages are {', '.join(sorted(PREFIXES))}")
        check_name(name)
        return new_pass(change, stage, name)
    check_name(arguments.name)
    if arguments.kind == "strategy":
        return new_strategy(change, arguments.name)
    return new_operator(change, arguments.name, arguments.formula, arguments.slope)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=TEMPLATES.parents[2])
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind in ("strategy", "pass", "operator"):
        kinds.add_parser(kind).add_argument("name")
    for option in ("--formula", "--slope"):
        kinds.choices["operator"].add_argument(option, required=True)
    arguments = parser.parse_args()
    change = Change(arguments.root)
    try:
        rest = plan(change, arguments)
    except (Refusal, OSError) as refusal:
        sys.exit(f"error: {refusal}")
    change.make()
    print("\n".join(["then"] + [f"  - {step}" for step in rest]))


if __name__ == "__main__":
    main()
