"""Checks the table of operators in docs/models.md: which have gradients, as dist-opt --operators says, and the types of their operands, as the .td files say.

    check_operators.py PAGE DIST_OPT [--write]

It is the last table under the heading "## Gradients and types". With `--write` it is written anew.
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


def rows(dist_opt):
    """Of the operations of the dialect those that ONNX has; the others come from these."""
    gradients = dict(re.findall(r"^\| `(\w+)` \| (yes|no) \|$", subprocess.run([dist_opt, "--operators"], capture_output=True, text=True, check=True).stdout, re.MULTILINE))
    page = generate_docs.generate(str(ROOT), "dialects/onnx/Onnx.td", ["-gen-dialect-doc", "-dialect=onnx"])
    parts = re.split(r"^#### `onnx\.(\w+)` .*$", page, flags=re.MULTILINE)[1:]
    texts = dict(zip(parts[::2], parts[1::2]))
    known = {schema.name for schema in onnx.defs.get_all_schemas() if schema.domain == ""}
    if set(texts) != set(gradients):
        raise RuntimeError(f"dist-opt and the .td files have other operations: {sorted(set(texts) ^ set(gradients))}")
    return [f"| `{name}` | {gradients[name]} | {operands_of(texts[name])} |\n" for name in sorted(known & set(texts))]


def main():
    page, dist_opt = pathlib.Path(sys.argv[1]), sys.argv[2]
    text = page.read_text(encoding="utf-8")
    section = SECTION.search(text)
    if not section:
        sys.exit(f"{page}: there is no heading '## Gradients and types'")
    expected = HEAD + "".join(rows(dist_opt))
    head, _, present = section[1].partition("| operator |")
    if "--write" in sys.argv:
        page.write_text(text[:section.start(1)] + head + expected + text[section.end(1):], encoding="utf-8")
    elif expected.strip() != ("| operator |" + present).strip():
        sys.exit(f"{page}: the table is not what dist-opt --operators and the .td files say: {sorted(set(present.splitlines()) ^ set(expected.partition('| operator |')[2].splitlines()))[:1]}")


if __name__ == "__main__":
    main()
