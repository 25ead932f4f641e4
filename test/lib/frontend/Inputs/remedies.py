"""Follows each remedy that the frontend prints and that is a flag of dist-opt:

    remedies.py SOURCES DIST_OPT FOLDER            ends with 1 if one is not printed, does not help, or is not listed here

What is printed is found in the sources of the frontend: each statement with `--size` or `--variables` in its text, or with the constant or function
that adds them. A case is a model that is refused with that text, and the sizes or values that make a program of it. Other flags are followed by
other tests, which a table names; a flag that is not in it fails this test, too.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import re
import struct
import subprocess
import sys

import numpy as np
import onnx
import onnx.parser

SIZE, VALUE = "--size NAME=SIZE|give it with --size", "--variables FILE.safetensors gives a value"
INTS = "int64[1] z = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] three = {3}, int64[1] most = {99}, int64[1] huge = {20000000}"
# The size of the last dimension of x, a vector.
T = "s = Shape(x)  t = Slice(s, one, two) "
LOOP = "body = b (int64 at, bool on, float[4] old) => (bool more, float[4] new) {more = Identity(on)  new = Neg(old)}"
BRANCHES = "then_branch = a () => (float[N,4] yes) {yes = Neg(x)}, else_branch = b () => (float[4,N] no) {no = Transpose(x)}"
# The product of more sizes than are followed.
LARGE = T + ("s1 = Shape(u)  v1 = Slice(s1, one, two)  q1 = Mul(t, v1)  q2 = Mul(q1, q1)  q3 = Mul(q2, q2)  q4 = Mul(q3, q3)  q5 = Mul(q4, q4)  "
             "q6 = Mul(q5, q5)  q = Mul(q6, q6)  ")
LONG = {"x": "float[N,T]"}
OTHER = {**LONG, "u": "float[N,U]"}
FOUR = {"x": "float[N,4]"}


def given(value, kind=np.int64):
    return np.array(value, kind)


# A model: inputs, nodes that make y, what fixes them, and perhaps the operator set.
CASES = {
    # Sizes.
    "scan": ({"x": "float[T,4]"}, "y = Scan<num_scan_inputs = 1, body = b (float[4] e) => (float[4] o) {o = Neg(e)}>(x)", "T=3"),
    "trip count of a size": ({**LONG, "h": "float[4]"}, T + f"n = Squeeze(t)  y = Loop<{LOOP}>(n, , h)", "T=3"),
    "pads that may be negative": (LONG, T + "d = Sub(t, three)  q = Concat<axis = 0>(z, z, z, d)  y = Pad(x, q)", "T=5"),
    "pads of a mirror": (LONG, T + "d = Div(t, two)  q = Concat<axis = 0>(z, z, z, d)  y = Pad<mode = \"reflect\">(x, q)", "T=4"),
    "axes": (LONG, T + "a = Sub(t, three)  y = ReduceSum(x, a)", "T=4"),
    "remainder by a size": (LONG, T + "r = Mod(most, t)  y = ConstantOfShape(r)", "T=5"),
    "the smaller of two sizes": (OTHER, T + "s1 = Shape(u)  v1 = Slice(s1, one, two)  r = Min(t, v1)  y = ConstantOfShape(r)", "T=2,U=4"),
    "a dimension without a name": ({"x": "float[N,?]"}, T + "r = Mod(most, t)  y = ConstantOfShape(r)", "x:1=5"),
    "too many times a size": (LONG, T + "r = Mul(huge, t)  y = ConstantOfShape(r)", "T=1"),
    "as many as another size": (OTHER, T + "y, v = TopK(u, t)", "T=2,U=4"),
    "sizes in another order": ({"x": "float[N,T,U]"}, "s = Shape(x)  t = Slice(s, one, two)  u = Slice(s, two, three)  "
                               "r = Concat<axis = 0>(u, t, three)  y = Reshape(x, r)", "N=3,T=2,U=2"),
    "steps": (LONG, T + "y = Slice(x, z, most, one, t)", "T=3"),
    "bounds of another size": (OTHER, T + "y = Slice(u, t, most, one)", "T=2,U=4"),
    "parts of a size": (OTHER, T + "d = Concat<axis = 0>(t, two)  y, v = Split<axis = 1>(u, d)", "T=2,U=4"),
    "equal parts": ({"x": "float[N,T,U]"}, "y, v = Split<axis = 1>(x)", "T=4,U=2"),
    "images": ({"x": "float[N,2,3]", "u": "float[1,1,T,4]"}, "s = Shape(u)  d = Slice(s, two, most)  r = Concat<axis = 0>(one, one, d)  "
               "y = AffineGrid(x, r)", "N=1,T=4", 20),
    "a large product as a number": (OTHER, LARGE + "f = Cast<to = 1>(q)  y = Mul(x, f)", "T=1,U=1"),
    "a large product as a size": (OTHER, LARGE + "y = ConstantOfShape(q)", "T=1,U=1"),
    "a large product as an end": (OTHER, LARGE + "e = Squeeze(q)  y = Range(i, e, k)", "T=1,U=1"),
    "a large product as a part": ({**OTHER, "w": "float[N,2]"}, LARGE + "d = Concat<axis = 0>(q, one)  y, v = Split<axis = 1>(w, d)", "T=1,U=1"),
    "the first of a large product": (OTHER, LARGE + "y, v = TopK(x, q)", "T=1,U=1"),
    "a large product of classes": ({**OTHER, "w": "int64[N]"}, LARGE + "y = OneHot(w, q, c)", "T=1,U=1"),
    # Values of inputs.
    "condition": ({**FOUR, "n": "bool"}, f"y = If<{BRANCHES}>(n)", {"n": given(1, bool)}),
    "trip count": ({**FOUR, "h": "float[4]", "n": "int64"}, f"y = Loop<{LOOP}>(n, , h)", {"n": given(3)}),
    "condition of a loop": ({**FOUR, "h": "float[4]", "n": "bool"}, f"y = Loop<{LOOP}>(m, n, h)", {"n": given(1, bool)}),
    "sizes of parts": ({**FOUR, "n": "int64[2]"}, "q = SplitToSequence<axis = 1>(x, n)  y = SequenceAt(q, one)", {"n": given([1, 3])}),
    "given axes": ({"x": "float[N,1,4]", "n": "int64[1]"}, "y = Squeeze(x, n)", {"n": given([1])}),
    "a constant's shape": ({**FOUR, "n": "int64[2]"}, "y = ConstantOfShape(n)", {"n": given([2, 3])}),
    "shape": ({"x": "float[2,4]", "n": "int64[2]"}, "y = Reshape(x, n)", {"n": given([4, 2])}),
    "starts": ({**FOUR, "n": "int64[1]"}, "y = Slice(x, n, most, one)", {"n": given([2])}),
    "limit": ({**FOUR, "n": "int64"}, "y = Range(i, n, k)", {"n": given(5)}),
    "scales": ({"x": "float[N,1,2,2]", "n": "float[4]"}, "y = Resize(x, , n)", {"n": given([1, 1, 2, 2], np.float32)}),
    "results": ({"x": "float[3,1,2,2]", "n": "int64[4]"}, "y = Resize(x, , , n)", {"n": given([3, 1, 4, 4])}),
    "margin": ({**FOUR, "n": "float"}, "y = Pad(x, p, n)", {"n": given(2, np.float32)}),
    "what is taken": ({**FOUR, "n": "bool[4]"}, "y = Compress<axis = 1>(x, n)", {"n": given([1, 0, 1, 0], bool)}),
}
MORE = ", int64 m = {3}, int64 i = {0}, int64 k = {1}, int64[4] p = {0, 0, 0, 1}, float[2] c = {0, 1}"
# Texts that no case brings about, because another one is said first.
LEFT = {"' (depth) varies"}
# A flag that no test follows: no program that is imported has a gradient where it is asked for.
UNASKED = "(--train-expand-gradients)"
# Other flags in texts of the frontend: the test that gives them to a program that was refused, or warned about, for want of them.
ELSEWHERE = {
    "--train=\"freeze=": ("equivalence/remedies.py", "freeze="),
    "--train, ": ("lib/frontend/artifacts.test", "--train="),
    "e.g. --train=\"loss=output optimizer=adamw\"": ("lib/frontend/artifacts.test", "--train=\"loss=output optimizer=adamw\""),
    "--checkpoint=FILE or --variables=FILE.safetensors": ("lib/frontend/artifacts.test", "--checkpoint="),
    "--optimizer-model=FILE": ("lib/frontend/artifacts.test", "--optimizer-model="),
    "--optimizer-model and --checkpoint are about": ("lib/frontend/artifacts.test", "dist-opt %t/m.mlir"),
    "this file to --variables or --load": ("equivalence/given-variables.test", "--variables"),
    "to --checkpoint": ("lib/frontend/artifacts.test", "--checkpoint="),
    "--dataset": ("tools/dist-opt/foreign-files.test", "--dataset %t/arrays.npz"),
    "drop --variables": ("lib/frontend/artifacts.test", "drop --variables"),
    "--size fixes a dimension that an ONNX model names, but": ("tools/dist-run/sizes.test", "MLIR: --size"),
    "--variables gives an ONNX model values, but": ("equivalence/given-variables.test", "MLIR: error"),
    "(--specialize-world=ranks=N)": ("tools/dist-opt/export-onnx.test", "--specialize-world=ranks="),
    "(--train-specialize-batch)": ("tools/dist-opt/export-onnx.test", "--train-specialize-batch"),
    "export the model before --train": ("lib/frontend/export/recurrent.test", "--export-onnx"),
    "dist-run --export": ("tools/dist-run/export.test", "--export"),
}


def literals(statement):
    return [re.sub(r"\\(.)", r"\1", text) for text in re.findall(r'"((?:[^"\\]|\\.)*)"', statement)]


def remedies(sources):
    """The longest text of each statement that adds a remedy, by where it stands."""
    for path in sorted([*sources.rglob("*.cpp"), *sources.rglob("*.h")]):
        text = re.sub(r"^\s*(//.*|#include.*)$", "", path.read_text(), flags=re.M)
        for match in re.finditer(r"kFixSizes|orFixSizes|howTo(?:Give|Know)\(|\"[^\"\n]*(--size NAME|--variables FILE)", text):
            begin = max(text.rfind(mark, 0, match.start()) for mark in ("return ", "emitError", ";\n", "{\n"))
            end = text.find(";\n", match.start())
            said = literals(text[begin:end])
            if said and "StringLiteral" not in text[begin:match.start()]:
                yield path.relative_to(sources), max(said, key=len)


def flags(sources):
    """Texts of other flags, by where they stand."""
    for path in sorted([*sources.rglob("*.cpp"), *sources.rglob("*.h")]):
        text = re.sub(r"^\s*(//.*|#include.*)$", "", path.read_text(), flags=re.M)
        for said in literals(re.sub(r'"\s*\n\s*"', "", text)):
            if re.search(r"--[a-z]+", said) and not re.search(SIZE + "|" + VALUE + "|--size NAME=SIZE fixes", said):
                yield path.relative_to(sources), said


def unfollowed(sources, tests):
    """What is wrong with ELSEWHERE: flags that are not in it, and rows that are not true."""
    keys = set()
    for path, said in flags(sources):
        found = {key for key in ELSEWHERE if key in said}
        keys |= found
        if not found and UNASKED not in said:
            yield f"{path}: nothing follows the remedy of '{said}'"
    for key, (test, text) in ELSEWHERE.items():
        path = tests / test
        if key not in keys:
            yield f"'{key}' is in no text of the frontend"
        if not path.exists() or text not in path.read_text():
            yield f"'{key}': {test} does not follow it by '{text}'"


def safetensors(path, tensors):
    names = {"int64": "I64", "float32": "F32", "bool": "BOOL"}
    header, content = {}, b""
    for name, data in tensors.items():
        header[name] = {"dtype": names[str(data.dtype)], "shape": list(data.shape), "data_offsets": [len(content), len(content) + data.nbytes]}
        content += data.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + content)


def run(dist_opt, *arguments):
    done = subprocess.run([dist_opt, *arguments, "-o", "/dev/null"], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def follow(dist_opt, folder, inputs, nodes, remedy, opset=17):
    """The refusal, and what is wrong with it or with what follows from it."""
    taken = ", ".join(f"{kind} {name}" for name, kind in inputs.items())
    text = f'<ir_version: 8, opset_import: ["": {opset}]> g ({taken}) => (y) <{INTS}{MORE}> {{ {nodes} }}'
    model = folder / "model.onnx"
    onnx.save(onnx.parser.parse_model(text), model)
    code, refusal = run(dist_opt, model)
    if code != 1 or not re.search(SIZE if isinstance(remedy, str) else VALUE, refusal):
        return refusal, f"is not refused so: {refusal or 'it is a program'}"
    if isinstance(remedy, str):
        flag = f"--size={remedy}"
    else:
        safetensors(folder / "given.safetensors", remedy)
        flag = f"--variables={folder / 'given.safetensors'}"
    code, problem = run(dist_opt, model, flag)
    return refusal, f"{flag} does not help: {problem}" if code else ""


def main():
    sources, dist_opt, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    refusals, failed = "", False
    for name, case in CASES.items():
        refusal, problem = follow(dist_opt, folder, *case)
        refusals += refusal
        failed |= bool(problem)
        print(f"{name}: {problem or 'it helps'}")
    for path, text in remedies(sources):
        if (text not in refusals) != (text in LEFT):
            failed = True
            print(f"{path}: nothing follows the remedy of '{text}', or it is left out though something does")
    for problem in unfollowed(sources, pathlib.Path(__file__).parents[3]):
        failed = True
        print(problem)
    sys.exit(failed)


if __name__ == "__main__":
    main()
