"""Checks the tables of operators in docs/models.md: which have gradients, as dist-opt --operators says, and the types of their operands, as the .td files
say; and those that are made of others, whose gradients a test must compare with differences.

    check_operators.py PAGE DIST_OPT [--write]

They are the last tables under the headings "## Gradients and types" and "## Made of others". With `--write` they are written anew.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re
import subprocess
import sys

import onnx

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "docs"))
import generate_docs  # noqa: E402

SECTION = re.compile(r"(?<=\n## Gradients and types\n)(.*?)(?=\n## |\Z)", re.DOTALL)
HEAD = "| operator | gradient | operands |\n| --- | --- | --- |\n"
# What mlir-tblgen calls them.
TYPES = [("16-bit float", "f16"), ("bfloat16 type", "bf16"), ("32-bit float", "f32"), ("64-bit float", "f64"), ("8-bit signless integer", "i8"),
         ("16-bit signless integer", "i16"), ("32-bit signless integer", "i32"), ("64-bit signless integer", "i64"), ("8-bit unsigned integer", "u8"),
         ("16-bit unsigned integer", "u16"), ("32-bit unsigned integer", "u32"), ("64-bit unsigned integer", "u64"), ("1-bit signless integer", "bool"),
         ("any type", "any")]


def types_of(description):
    """"f16, f32" of the description of an operand."""
    for long, short in TYPES:
        description = description.replace(long, short)
    found = re.search(r"tensor of (.*?) values", description)
    if not found:
        raise RuntimeError(f"an operand is '{description}', in which no type is known")
    return ", ".join(found[1].split(" or "))


def operands_of(text):
    """The operands of an operation, those of one type together: "A, B: f32; C: i64"."""
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|$", text.partition("##### Operands:")[2].partition("##### Results:")[0], re.MULTILINE)
    by_types = {}
    for name, description in rows:
        by_types.setdefault(types_of(description), []).append(name)
    return "; ".join(f"{', '.join(names)}: {types}" for types, names in by_types.items())


def gradients_of(dist_opt):
    """"yes" or "no" of each operation of the dialect."""
    printed = subprocess.run([dist_opt, "--operators"], capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^\| `(\w+)` \| (yes|no) \|$", printed, re.MULTILINE))


def rows(dist_opt):
    """Of the operations of the dialect those that ONNX has; the others come from these."""
    gradients = gradients_of(dist_opt)
    page = generate_docs.generate(str(ROOT), "dialects/onnx/Onnx.td", ["-gen-dialect-doc", "-dialect=onnx"])
    parts = re.split(r"^#### `onnx\.(\w+)` .*$", page, flags=re.MULTILINE)[1:]
    texts = dict(zip(parts[::2], parts[1::2]))
    known = {schema.name for schema in onnx.defs.get_all_schemas() if schema.domain == ""}
    if set(texts) != set(gradients):
        raise RuntimeError(f"dist-opt and the .td files have other operations: {sorted(set(texts) ^ set(gradients))}")
    return [f"| `{name}` | {gradients[name]} | {operands_of(texts[name])} |\n" for name in sorted(known & set(texts))]


MADE = re.compile(r"(?<=\n## Made of others\n)(.*?)(?=\n## |\Z)", re.DOTALL)
MADE_HEAD = "| operator | becomes what | gradient |\n| --- | --- | --- |\n"
# Through which no gradient passes to a float, or which are numbers of 8 bits.
NO_GRADIENT = {"Bernoulli", "ConvInteger", "DynamicQuantizeLinear", "EyeLike", "Hardmax", "MatMulInteger", "NonZero", "OneHot", "QLinearConv",
               "QLinearMatMul", "Range", "SequenceLength", "com.microsoft.BroadcastGradientArgs", "com.microsoft.QLinearAdd",
               "com.microsoft.QLinearAveragePool", "com.microsoft.QLinearLeakyRelu", "com.microsoft.QLinearMul", "com.microsoft.QLinearSigmoid",
               "com.microsoft.QLinearSoftmax", "com.microsoft.ZeroGradient"}
# Calls of one operation of the dialect, which draws or has several results: test/lib/execution/GradientOperatorsTest.cpp and OpsetFormsTest.cpp.
OF_TRAINING_GRAPHS = {"com.microsoft.BatchNormalizationGrad", "com.microsoft.BiasDropout", "com.microsoft.BitmaskBiasDropout",
                      "com.microsoft.BitmaskDropout", "com.microsoft.BitmaskDropoutGrad", "com.microsoft.DropoutGrad", "com.microsoft.SoftmaxDropoutGrad"}


def read(*paths):
    return "\n".join((ROOT / path).read_text(encoding="utf-8") for path in paths)


def made_of_others(of_dialect):
    """The operators that are none `of_dialect`, and how the frontend makes them of others."""
    found = {name: "a formula" for name in re.findall(r'R"\(([\w.]+)', read("lib/frontend/functions/FunctionTable.cpp"))}
    found.update((name, "operations") for name in re.findall(r'\{"(\w+)", [^}]*compose\w+\}', read("lib/frontend/forms/OpsetForms.cpp")))
    listed = re.search(r"operators\[\] = \{(.*?)\}", read("lib/frontend/graph/Sequences.cpp"), re.DOTALL)[1]
    found.update((name, "a list of values") for name in re.findall(r'"(\w+)"', listed))
    found = {name: made for name, made in found.items() if name not in of_dialect}
    return {**found, "If": "its branches", "Loop": "its iterations", "Scan": "its steps"}


def differences():
    """The texts in which models are compared with central differences: of f64 alone, and of operations in f32 and f64."""
    models = [path for path in (ROOT / "test/equivalence").glob("*.py") if "numpy_models" in path.read_text(encoding="utf-8")]
    return read("test/lib/execution/FormulaGradientTest.cpp"), read(*models), read(*(ROOT / "test/equivalence/gradients/cases").glob("*.mlir"))


def made_rows(dist_opt):
    formulas, models, cases = differences()
    texts = []
    for name, made in sorted(made_of_others(gradients_of(dist_opt)).items()):
        short = re.escape(name.rpartition(".")[2])
        is_compared = (re.search(rf"[ =]{re.escape(name)}[<(]", formulas) or re.search(rf'"{short}"', models) or re.search(rf"onnx\.{short}\b", cases))
        if name not in NO_GRADIENT | OF_TRAINING_GRAPHS and not is_compared:
            sys.exit(f"no test compares the gradient of {name} with differences: add it to test/lib/execution/FormulaGradientTest.cpp")
        texts.append(f"| `{name}` | {made} | {'none' if name in NO_GRADIENT else 'yes'} |\n")
    return texts


def check_table(page, text, pattern, title, expected, source):
    """Writes or checks the table of a section; the text of the page."""
    section = pattern.search(text)
    if not section:
        sys.exit(f"{page}: there is no heading '## {title}'")
    head, _, present = section[1].partition("| operator |")
    if "--write" in sys.argv:
        return text[:section.start(1)] + head + expected + text[section.end(1):]
    if expected.strip() != ("| operator |" + present).strip():
        sys.exit(f"{page}: the table of '{title}' is not what {source} say: {sorted(set(('| operator |' + present).splitlines()) ^ set(expected.splitlines()))[:1]}")
    return text


def main():
    page, dist_opt = pathlib.Path(sys.argv[1]), sys.argv[2]
    text = page.read_text(encoding="utf-8")
    made, all_rows = MADE_HEAD + "".join(made_rows(dist_opt)), HEAD + "".join(rows(dist_opt))
    text = check_table(page, text, MADE, "Made of others", made, "the forms of the frontend")
    text = check_table(page, text, SECTION, "Gradients and types", all_rows, "dist-opt --operators and the .td files")
    if "--write" in sys.argv:
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
