"""Deletes reductions of a distributed program by hand, and asks whether the proof notices.

    delete_reduction.py PROGRAM.mlir DIST_OPT

Each tensor that a collective.all_reduce on @world in @step reduces, and that is not only reported, is let through unreduced, one at a time (at
most MOST of them, spread over the program). Ends with 1 unless distribute-verify-replication accepts the program as it is, and refuses every other one.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import subprocess
import sys

MOST = 12
REDUCTION = re.compile(r"^ *(%\w+)(?::(\d+))? = collective\.all_reduce \w+ ([%\w#, ]+) on @world[^:]* : (.*)$", re.M)


def accepts(dist_opt, text):
    run = subprocess.run([dist_opt, "-", "--distribute-verify-replication", "-o", "/dev/null"], input=text, text=True,
                         capture_output=True, check=False)
    return run.returncode == 0, run.stderr


def is_computed_with(text, match, index):
    """Whether something else than the return uses the result: metrics are not proved."""
    result, count, _, _ = match.groups()
    name = re.escape(f"{result}#{index}" if count else result) + r"(?![\w#])"
    return any(re.search(name, line) for line in text[match.end():text.index("\n  }\n", match.end())].splitlines()
               if not line.lstrip().startswith("return"))


def is_statistic(text, match, index):
    operand = re.escape(match.group(3).split(", ")[index].split("#")[0]) + r"(?![\w#])"
    return re.search(rf"^ *{operand}(:\d+)?(, %\w+)* = onnx\.Batch(Mean|Variance|Covariance)\b", text, re.M) is not None


def unreduced(text, match, index):
    """The program in which users of result `index` take what went into the reduction."""
    result, count, operands, _ = match.groups()
    name = f"{result}#{index}" if count else result
    after = text[match.end():]
    end = after.index("\n  }\n")
    operand = operands.split(", ")[index]
    uses = re.sub(re.escape(name) + r"(?![\w#])", operand, after[:end])
    return text[:match.end()] + uses + after[end:]


def main():
    path, dist_opt = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    accepted, errors = accepts(dist_opt, text)
    if not accepted:
        sys.exit(f"the program itself is refused:\n{errors}")
    step = text.index("func.func @step")
    # Statistics of batch normalization are no gradients; distribute-lint tells of them.
    places = [(match, i) for match in REDUCTION.finditer(text, step) for i in range(int(match.group(2) or 1))
              if is_computed_with(text, match, i) and not is_statistic(text, match, i)]
    if not places:
        sys.exit("the program has no reduction")
    chosen = places[::-(-len(places) // MOST)]
    for match, index in chosen:
        accepted, _ = accepts(dist_opt, unreduced(text, match, index))
        if accepted:
            sys.exit(f"nobody misses the reduction of operand {index} of: {match.group(0).strip()[:200]}")
    print(f"{len(chosen)} of {len(places)} reductions were deleted in turn, and each was missed")


main()
