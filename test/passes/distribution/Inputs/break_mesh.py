"""Breaks one reduction of a program that is cut among neighbours.

    break_mesh.py PROGRAM.mlir missing|twice|part|data|max|start|carried|awaited|gains|scattered|pushed|divisor|first|rows|neighbours OUT.mlir

missing: the sum over neighbours is left out; twice: it is taken of itself again; part: another one is taken of what
each neighbour has a part of; data: the gradients are reduced over the neighbours' samples no more; max: the maximum of
scores is that of the rank's classes; start: blocks of a table do not begin where the blocks before end; carried: what a
loop over micro-batches adds up from zeros begins as something else; awaited: a gradient that ranks with the same parts
reduce is taken as it was before; gains: gradients that each neighbour has of its tokens only are not summed up; scattered:
what all have whole is reduced and scattered. Of tables on servers, pushed: each neighbour pushes all rows; divisor: servers divide by
all ranks; first: neighbours share rows by other numbers than their own; rows: gradients of rows are pushed before they are completed;
neighbours: servers count workers as one that have samples of their own.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import sys


def replace_value(code, old, new):
    return re.sub(old + r"(?![\w#])", new, code)


text = open(sys.argv[1], encoding="utf-8").read()
begin = text.index("func.func @step")
end = text.index("\n  func.func", begin)
step = text[begin:end]
found = re.search(r"( *)(%\w+) = collective\.all_reduce sum (%\w+) on @tp : (\S+)\n", step)
indent, result, operand, kind = found.groups() if found else [""] * 4
what = sys.argv[2]
if what == "missing":
    step = replace_value(step.replace(found.group(0), ""), result, operand)
elif what == "max":
    most = re.search(r" *(%\w+) = collective\.all_reduce max (%\w+) on @tp : \S+\n", step)
    step = replace_value(step.replace(most.group(0), ""), most.group(1), most.group(2))
elif what == "start":
    step = re.sub(r"dense<\[0, (\d+)\]> : tensor<2xi64>", lambda starts: f"dense<[0, {int(starts[1]) - 1}]> : tensor<2xi64>", step)
elif what == "twice":
    again = f"{indent}%again = collective.all_reduce sum {result} on @tp : {kind}\n"
    step = step.replace(found.group(0), found.group(0) + again).replace(result + ", %arg", "%again, %arg", 1)
elif what == "part":
    relu = re.search(r"( *)(%\w+) = onnx\.Relu (%\w+) : \((\S+)\) -> \S+\n", step)
    part = f"{relu.group(1)}%sum = collective.all_reduce sum {relu.group(3)} on @tp : {relu.group(4)}\n"
    step = step.replace(relu.group(0), part + relu.group(0).replace("Relu " + relu.group(3), "Relu %sum"))
elif what == "carried":
    zeros, kind = re.search(r"(%\w+) = arith\.constant dense<0\.0*e\+00> : (tensor<64x64xf32>)", step).groups()
    ones = f"    %ones = arith.constant dense<1.0> : {kind}\n"
    step = re.sub(rf"iter_args\((.*?)= {zeros}\b", r"iter_args(\1= %ones", step, count=1)
    loop = step.rindex("\n", 0, step.index("scf.for")) + 1
    step = step[:loop] + ones + step[loop:]
elif what == "gains":
    bucket = re.search(r" *(%\w+):\d+ = collective\.all_reduce sum (.*) on @tp : tensor<32xf32>.*\n", step)
    step = step.replace(bucket.group(0), "")
    for number, own in reversed(list(enumerate(bucket.group(2).split(", ")))):
        step = step.replace(f"{bucket.group(1)}#{number}", own)
elif what == "scattered":
    whole = re.search(r"(%\w+) = collective\.all_gather %\w+ along 1 on @tp", step).group(1)
    last = list(re.finditer(r"collective\.reduce_scatter sum (%\w+) along 1 on @tp", step))[-1]
    step = step[:last.start(1)] + whole + step[last.end(1):]
elif what == "pushed":
    share, is_own, whole = re.search(r"(%\w+) = onnx\.Where (%\w+), (%\w+), %\w+ : \S+ \S+ tensor<i64>\)", step).groups()
    own = re.search(rf"{is_own} = onnx\.Equal %\w+, (%\w+) ", step).group(1)
    for made in (share, is_own, own):
        step = re.sub(rf" *{made} = .*\n", "", step)
    step = replace_value(step, share, whole)
elif what == "first":
    step = step.replace("dense<[0, 1]> : tensor<2xi64>", "dense<[0, 0]> : tensor<2xi64>")
elif what == "rows":
    last = list(re.finditer(r" *(%\w+) = collective\.all_reduce sum (%\w+) on @tp : \S+\n", step))[-1]
    step = replace_value(step.replace(last.group(0), ""), last.group(1), last.group(2))
elif what in ("divisor", "neighbours"):
    now, then = (" neighbours = 2 :", " :") if what == "divisor" else (" :", " neighbours = 2 :")
    text = text.replace("ps.table @user.weight" + now, "ps.table @user.weight" + then)
    begin, end = (place + len(then) - len(now) for place in (begin, end))
elif what == "awaited":
    begins = re.findall(r"(%\w+) = collective\.async \{\n *%\w+ = collective\.all_reduce mean (%\w+) on @dp", step)
    for future, own in begins:
        awaited = re.search(rf"(%\w+) = collective\.await {future} ", step).group(1)
        step = re.sub(rf"gradient {awaited}\b", f"gradient {own}", step)
else:
    mean = re.search(r" *(%\w+):(\d+) = collective\.all_reduce mean (.*) on @dp : .*\n", step)
    name, operands = mean.group(1), mean.group(3).split(", ")
    step = step.replace(mean.group(0), "")
    for number, own in reversed(list(enumerate(operands))):
        step = step.replace(f"{name}#{number}", own)
with open(sys.argv[3], "w", encoding="utf-8") as out:
    out.write(text[:begin] + step + text[end:])
