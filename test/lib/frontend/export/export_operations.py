"""Exports every operation of the dialects onnx, train and collective, as the example of its description has it.

    export_operations.py SOURCE_FOLDER WORK_FOLDER

Each must give a model that onnx.checker accepts, or be refused for the reason that stands below. An operation without an
example, or one that neither is exported nor stands below, fails.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import subprocess
import sys

import onnx

TABLEGEN = ["/usr/lib/llvm-22/bin/mlir-tblgen", "-gen-op-doc", "-I", ".", "-I", "/usr/lib/llvm-22/include"]
FILES = {"onnx": "dialects/onnx/Onnx.td", "train": "dialects/train/Train.td",
         "collective": "dialects/collective/CollectiveOps.td"}

W, T, F32, I64, I1 = "tensor<64x10xf32>", "tensor<i64>", "tensor<f32>", "tensor<i64>", "tensor<i1>"

# Types of the operands of examples that do not spell them all, in the order in which they appear.
OPERANDS = {
    "train.accuracy": ["tensor<?x10xf32>", "tensor<?xi64>"], "train.adagrad": [W, W, W, F32],
    "train.rowwise_adagrad": ["tensor<1000x16xf32>", "tensor<1000x16xf32>", "tensor<1000xf32>", F32],
    "train.adam": [W, W, W, W, F32, T], "train.adamw": [W, W, W, W, F32, T], "train.lamb": [W, W, W, W, F32, T],
    "train.lion": [W, W, W, F32], "train.nadam": [W, W, W, W, F32, T], "train.rmsprop": [W, W, W, F32], "train.rmsprop_momentum": [W, W, W, W, F32],
    "train.all_finite": [W, "tensor<10xf32>"], "train.global_norm": [W, "tensor<10xf32>"],
    "train.sum_of_squares": [W, "tensor<10xf32>"], "train.batch_share": [F32], "train.batch_total": [F32], "train.batch_sum": [W],
    "train.batch_gather": ["tensor<?x64xf32>"], "train.batch_piece": ["tensor<?xi64>"], "train.batch_scatter": ["tensor<?x64xf32>"],
    "train.piece": ["index", "index", "tensor<?x8xf32>"],
    "train.clip": [W, F32], "train.full_like": ["tensor<?x10xf32>"],
    "train.gather_rows": ["tensor<1000x16xf32>", "tensor<40xi64>"], "train.gradient": [F32, W, "tensor<10xf32>"],
    "train.mark_gradient": [W], "train.merge_rows": ["tensor<?xi64>", "tensor<?x16xf32>", F32],
    "train.micro_batch": ["index", "tensor<?x64xf32>"], "train.momentum": [W, W, W, F32],
    "train.put_micro_batch": ["tensor<?x10xf32>", "tensor<?x10xf32>", "index"],
    "train.scale": ["tensor<?x10xf32>", F32], "train.scatter_rows": ["tensor<?xi64>", "tensor<?x16xf32>"],
    "train.scatter_update_rows": ["tensor<40x16xf32>", "tensor<40xi64>", "tensor<1000x16xf32>"],
    "train.select": [I1, W, W], "train.sgd": [W, W, F32], "train.unscale": [W, F32],
    "train.update_loss_scale": [F32, I64, I1], "train.zero_batch": ["tensor<?x64xf32>"],
    "train.batch_weight": [],
    "collective.all_gather": ["tensor<2xf32>"], "collective.all_reduce": ["tensor<4xf32>", "tensor<2x2xf32>"],
    "collective.all_to_all": ["tensor<8x2xf32>"],
    "collective.all_to_all_vc": ["tensor<8x4xf32>", "tensor<16x4xf32>", "tensor<4x4xi64>"],
    "collective.all_to_all_v": ["tensor<8x4xf32>", "tensor<16x4xf32>"] + ["tensor<4xi64>"] * 4,
    "collective.barrier": [], "collective.broadcast": ["tensor<4xf32>"], "collective.create_group": ["index", "index"],
    "collective.destroy_group": [], "collective.flatten": ["tensor<2x5xf32>"], "collective.gather": ["tensor<2xf32>"],
    "collective.local_rank": [], "collective.local_size": [], "collective.rank": [], "collective.size": [],
    "collective.recv": ["index"], "collective.reduce": ["tensor<4xf32>"], "collective.reduce_scatter": ["tensor<8xf32>"],
    "collective.scatter": ["tensor<8xf32>"], "collective.send": ["tensor<4xf32>", "tensor<2xi64>", "index"],
    "collective.translate_rank": ["index"], "collective.unflatten": ["tensor<12xf32>"],
    "collective.async": ["tensor<4xf32>"],
}

# The group of these examples has four ranks; of all others their number is open.
WITH_FOUR_RANKS = {"collective.all_to_all", "collective.reduce_scatter"}

# Not in functions, or only within or after another one: examples that say the whole.
WHOLE = {
    "collective.yield": "collective.async", "collective.await": "collective.async",
    "collective.complete": "%r = collective.all_gather %a along 0 on @world {collective.future = 3} : tensor<2xf32> -> tensor<8xf32>\n"
                           "%x = collective.complete 3 of %r keeping %a : tensor<8xf32>, tensor<2xf32>",
}
OPERANDS["collective.complete"] = ["tensor<2xf32>"]
OF_MODULES = {"train.dataset", "collective.group"}

NOTHING_LIKE_IT = "ONNX Runtime sums over ranks, gathers, and sends, and none of that does this"
REFUSED = {
    "train.batch_weight": "the share of a rank follows from the number of ranks",
    "train.merge_rows": "distribute with sparse=dense",
    "collective.async": "it has a body", "collective.complete": "none of that does this",
    "collective.create_group": "it has an operand of type index",
    "collective.translate_rank": "it has an operand of type index",
    **{f"collective.{name}": NOTHING_LIKE_IT for name in (
        "all_to_all_v", "all_to_all_vc", "barrier", "broadcast", "destroy_group", "gather", "local_rank", "local_size",
        "reduce", "scatter")},
    "collective.rank": "no operator of ONNX Runtime gives the number of a rank",
}


def examples(source):
    """The first example of each operation, by its name."""
    found = {}
    for path in FILES.values():
        text = subprocess.run([*TABLEGEN, path], cwd=source, check=True, capture_output=True, text=True).stdout
        for match in re.finditer(r"^### `(\S+?)`[^\n]*\n(.*?)(?=^### |\Z)", text, re.MULTILINE | re.DOTALL):
            code = re.search(r"```mlir\n(.*?)```", match.group(2), re.DOTALL)
            if not code:
                sys.exit(f"{match.group(1)} has no example")
            found[match.group(1)] = code.group(1)
    return found


def statement(name, code):
    """The statement of an example that is the operation on tensors."""
    if "{\n" in code:
        return code.strip()
    starts = [index for index, line in enumerate(code.splitlines()) if re.search(rf"(^|= ){re.escape(name)}\b", line)]
    lines = code.splitlines()[starts[0]:]
    end = next((i for i, line in enumerate(lines) if i and not line.startswith(" ")), len(lines))
    return "\n".join(lines[:end])


def split_types(text):
    """The types of a list, which commas divide that stand in no brackets."""
    return [part.strip() for part in re.findall(r"(?:[^,<>]|<[^<>]*(?:<[^<>]*>)*[^<>]*>)+", text) if part.strip()]


def operand_types(name, code):
    """From the functional type at the end of an operator of ONNX, or from the table."""
    if name in OPERANDS:
        return OPERANDS[name]
    match = re.search(r":\s*\(([^()]*)\)\s*->", code)
    return split_types(match.group(1)) if match else []


def program(name, code):
    """A module in which the statement computes what nobody returns; messages and groups count all the same."""
    body = code.partition("= ")[2] if re.match(r"%[\w:, %]+ = ", code) else code
    names = list(dict.fromkeys(re.findall(r"%\w+", body.split(" : ")[0] if "{\n" not in body else body)))
    if name in ("collective.complete", "collective.async"):
        names = ["%a"]
    types = operand_types(name, code)
    if len(names) != len(types):
        sys.exit(f"{name}: the example has the operands {names}, but types {types}")
    constants = [f"{n} = arith.constant {i} : index" for i, (n, t) in enumerate(zip(names, types)) if t == "index"]
    arguments = ", ".join(f'{n}: {t} {{train.input = #train.input<"{n[1:]}", @data>}}'
                          for n, t in zip(names, types) if t != "index")
    size = " {size = 4 : i64}" if name in WITH_FOUR_RANKS else ""
    later = "collective.group @later members(#collective.at_run_time)\n  collective.group @pairs members(#collective.blocks<2>)"
    function = "step" if name == "train.gradient" else "forward"
    return f"""module attributes {{train.program}} {{
  collective.group @world{size}
  {later if name.startswith("collective.") and "group" in name or "rank" in name else ""}
  train.dataset @data
  func.func @initialize() {{ return }}
  func.func @{function}({arguments}) {{
    {chr(10).join(constants)}
    {code}
    return
  }}
}}
"""


def export(name, code, folder):
    """What is wrong with the export of `name`, or nothing."""
    source, model = folder / "program.mlir", folder / "model.onnx"
    source.write_text(program(name, code))
    model.unlink(missing_ok=True)
    run = subprocess.run(["dist-opt", source, f"--export-onnx={model}", "-o", "/dev/null"], capture_output=True, text=True)
    if name in REFUSED:
        message = f"'{name}' has no form in ONNX: "
        return "" if message in run.stderr and REFUSED[name] in run.stderr else f"not refused as said: {run.stderr}"
    if run.returncode:
        return run.stderr
    written = onnx.load(str(model))
    try:
        if written.opset_import[0].version <= onnx.defs.onnx_opset_version():
            onnx.checker.check_model(written)
    except onnx.checker.ValidationError as error:
        return f"the model is not valid: {error}"
    if not written.graph.node and not (written.training_info and written.training_info[0].algorithm.node):
        return "the model has no node"
    return ""


def main():
    source, folder = map(pathlib.Path, sys.argv[1:])
    known = examples(source)
    wrong = 0
    for name, code in known.items():
        if name in OF_MODULES or WHOLE.get(name) in known:
            continue
        problem = export(name, WHOLE.get(name) or statement(name, code), folder)
        if problem:
            wrong += 1
            print(f"{name}: {problem}")
    missing = [name for name in REFUSED if name not in known]
    print(f"{len(known)} operations, {len(REFUSED)} refused, {wrong} wrong{', not there: ' if missing else ''}{', '.join(missing)}")
    sys.exit(bool(wrong or missing))


if __name__ == "__main__":
    main()
