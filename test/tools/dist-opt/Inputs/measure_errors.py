"""Measures what tools print about programs that fail: each message is short, whatever the size of the program.

    measure_errors.py LINES TEST_FOLDER WORK_FOLDER PROGRAM [ARGUMENT ...]

Takes every program of a test that expects diagnostics, fills each of its functions with operations, and runs PROGRAM with
the passes of that test. No message may have more than LINES lines. With `--sample` only one failing program of each file is run.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys

MOST_BYTES = 5000
FILLING = "".join(f"    %filling_{number} = arith.constant {771000 + number} : i64\n" for number in range(200))
HEADER = re.compile(r"^(?!\s).*?\b(error|warning): ")


def body_of(text, start):
    """Where the body of the function at `start` begins, or None if it has none."""
    depth = 0
    position = start
    while position < len(text):
        letter = text[position]
        if letter in "(<[":
            depth += 1
        elif letter in ")]" or (letter == ">" and text[position - 1] != "-"):
            depth -= 1
        elif letter == "{":
            if depth == 0 and not text[start:position].rstrip().endswith("attributes"):
                return position + 1
            position = text.index("}", position) if depth == 0 else position
        elif letter == "\n" and depth == 0 and text[start:position].rstrip().endswith((")", ">", "f32", "index")):
            return None  # a declaration
        position += 1
    return None


def fill(program):
    """The program with many operations at the start of each function."""
    filled, end = "", 0
    for match in re.finditer(r"\bfunc\.func ", program):
        body = body_of(program, match.start())
        if body is None or body < end:
            continue
        filled += program[end:body] + "\n" + FILLING
        end = body
    return filled + program[end:]


def cases(folder):
    """(name, passes, program) of every program that a test expects to fail."""
    for file in sorted(folder.rglob("*.mlir")):
        text = file.read_text(encoding="utf-8")
        run = re.search(r"^// RUN: dist-opt %s (.*--verify-diagnostics.*)$", text, re.MULTILINE)
        if not run or "|" in run[1]:
            continue
        passes = [word for word in shlex.split(run[1]) if word not in ("--split-input-file", "--verify-diagnostics")]
        if any("%" in word for word in passes):
            continue
        for number, program in enumerate(text.split("// -----\n")):
            if "expected-error" in program:
                yield f"{file.relative_to(folder)}-{number}", passes, fill(program)


def messages(output):
    """What was printed, cut before each error or warning."""
    found = []
    for line in output.splitlines():
        if HEADER.match(line) or not found:
            found.append([])
        found[-1].append(line)
    return found


def complaint(output, most_lines):
    """What is wrong with what a tool printed, or None."""
    if "filling_" in output or re.search(r"\b771\d\d\d\b", output):
        return "shows the body of a function"
    for message in messages(output):
        if len(message) > most_lines:
            return f"has a message of {len(message)} lines"
        if sum(map(len, message)) > MOST_BYTES:
            return f"has a message of {sum(map(len, message))} bytes"
    return None


def check(most_lines, work, command, case):
    """(whether it failed as it should, what is wrong with the output)."""
    name, passes, program = case
    file = work / (name.replace("/", "_") + ".mlir")
    file.write_text(program, encoding="utf-8")
    run = subprocess.run([*command, str(file), *passes, "-o", str(file) + ".out"], capture_output=True, text=True,
                         check=False)
    if run.returncode == 0:
        return False, None
    problem = complaint(run.stderr, most_lines)
    return True, problem and f"{name}: {problem}:\n{run.stderr[:3000]}"


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--sample"]
    most_lines, folder, work, command = int(arguments[0]), *map(pathlib.Path, arguments[1:3]), arguments[3:]
    work.mkdir(parents=True, exist_ok=True)
    programs = list(cases(folder))
    if "--sample" in sys.argv:
        programs = list({name.rsplit("-", 1)[0]: (name, *rest) for name, *rest in programs}.values())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: check(most_lines, work, command, case), programs))
    failed = sum(1 for has_failed, _ in results if has_failed)
    problems = [problem for _, problem in results if problem]
    print(f"{len(programs)} programs, {failed} failed, {len(problems)} with long messages")
    print("\n".join(problems[:10]))
    if problems or failed < 0.8 * len(programs) or len(programs) < 20:
        sys.exit(1)


if __name__ == "__main__":
    main()
