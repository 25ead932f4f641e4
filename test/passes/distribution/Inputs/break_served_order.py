"""Breaks a split program by hand, and checks that the proofs refuse what they must.

    break_served_order.py PROGRAM.mlir -- COMMAND...

COMMAND reads a program from standard input; it must accept PROGRAM as it is. Each pull and push of @step is then deleted, doubled,
moved after the push of its table, and put under control flow, one after the other; COMMAND must refuse each of these programs
with an error about that table. Prints how many it refused of each kind of operation.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import re
import subprocess
import sys

OPERATION = re.compile(r"^ *(?:(?P<result>%\S+) = )?ps\.(?P<kind>pull_rows|pull|push_rows|push) @(?P<table>[\w.]+).*: (?P<types>.*)$")


def named(result, suffix):
    """A name beside that of `result`: a number cannot be continued."""
    return f"%of_{result[1:]}_{suffix}"


def zeros(result, type_):
    """Operations that make `result` without the servers."""
    fixed = type_.replace("?", "4")
    return [f"{named(result, 'zeros')} = arith.constant dense<0.0> : {fixed}",
            f"{result} = tensor.cast {named(result, 'zeros')} : {fixed} to {type_}"] if fixed != type_ else \
           [f"{result} = arith.constant dense<0.0> : {type_}"]


def under(condition, line, result, type_):
    """`line` where `condition`, a value, is true."""
    if not result:
        return [f"scf.if {condition} {{", line, "}"]
    pulled, other = named(result, "pulled"), named(result, "else")
    inner = line.replace(f"{result} =", f"{pulled} =")
    return ([f"{result} = scf.if {condition} -> ({type_}) {{", inner, f"scf.yield {pulled} : {type_}", "} else {"]
            + zeros(other, type_) + [f"scf.yield {other} : {type_}", "}"])


ON_ONE_RANK = ["%own_rank = collective.rank on @world : index", "%rank_zero = arith.constant 0 : index",
               "%on_one = arith.cmpi eq, %own_rank, %rank_zero : index"]
ONCE = ["%from = arith.constant 0 : index", "%to = arith.constant 1 : index", "%by = arith.constant 1 : index"]


def broken(lines, number, found):
    """Pairs of what was done and the program that it gives."""
    match, line = found[number], lines[number]
    result, kind, type_ = match["result"], match["kind"], match["types"].split("->")[-1].strip()
    before, after = lines[:number], lines[number + 1:]
    yield "deleted", before + (zeros(result, type_) if result else []) + after
    twice = line.replace(f"{result} =", f"{named(result, 'twice')} =") if result else line
    yield "doubled", before + [line, twice] + after
    yield "on one rank", before + ON_ONE_RANK + under("%on_one", line, result, type_) + after
    if not result:
        yield "in a loop", before + ONCE + ["scf.for %turn = %from to %to step %by {", line, "}"] + after
        return
    push = next(n for n, other in found.items() if other["table"] == match["table"] and other["kind"].startswith("push"))
    late = line.replace(f"{result} =", f"{named(result, 'late')} =")
    # Something must use it, or it is refused for that.
    use = [f"%late_use = tensor.cast {named(result, 'late')} : {type_} to {type_}"]
    yield "after the push", lines[:push + 1] + [late] + use + lines[push + 1:]


def main():
    path, command = sys.argv[1], sys.argv[sys.argv.index("--") + 1:]
    lines = open(path, encoding="utf-8").read().splitlines()
    step = next(n for n, line in enumerate(lines) if "func.func @step" in line)
    end = next(n for n in range(step, len(lines)) if re.match(r"  }", lines[n]))
    found = {n: match for n in range(step, end) if (match := OPERATION.match(lines[n]))}

    def run(program):
        return subprocess.run(command, input="\n".join(program), text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    whole = run(lines)
    if whole.returncode != 0:
        sys.exit(f"the whole program is refused: {whole.stderr}")
    refused = collections.Counter()
    for number, match in found.items():
        for what, program in broken(lines, number, found):
            told = run(program)
            name = f"{match['kind']} {what}"
            if told.returncode == 0:
                sys.exit(f"accepted: {name}, of {match['table']}")
            errors = [line for line in told.stderr.splitlines() if "error: " in line]
            if len(errors) != 1 or f"@{match['table']}" not in errors[0]:
                sys.exit(f"{name}, of {match['table']}: refused for another reason: {told.stderr}")
            refused[name] += 1
    for name in sorted(refused):
        print(f"{name}: {refused[name]} refused")


if __name__ == "__main__":
    main()
