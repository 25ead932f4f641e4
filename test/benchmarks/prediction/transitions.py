"""Compares what the cost model says of each way to bring a tensor from one form to another (its axis of the mesh divides it, all ranks
have it whole, or each has a summand) with what that takes.

    transitions.py --programs BIN [--ranks N ...] [--link [--rate MBIT] [--delay MS]] [--sides N ...] [--rounds R] [--steps S]

In shared memory with each of --ranks (default 2 4), or with --link between two nodes of one rank (needs root). One program has all
transitions of all sizes, each after a barrier. `dist-run --calibrate` measures the ranks in each round, then the program is run with that
cluster file and traced. A call takes the time from when the last rank begins it until the last one has ended it, so that no wait for a late
rank counts; a figure is the median over rounds of the median over steps.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import pathlib
import statistics
import tempfile

import run

WARM_UP_STEPS = 3
ALL, ROWS, COLUMNS = "all", "rows", "columns"
# name: operation, what a rank has before, what after
TRANSITIONS = {
    "rows → whole": ("collective.all_gather {value} along 0 on @world", ROWS, ALL),
    "columns → whole": ("collective.all_gather {value} along 1 on @world", COLUMNS, ALL),
    "rows → columns": ("collective.all_to_all {value} split 1 concat 0 on @world", ROWS, COLUMNS),
    "columns → rows": ("collective.all_to_all {value} split 0 concat 1 on @world", COLUMNS, ROWS),
    "summands → whole": ("collective.all_reduce sum {value} on @world", ALL, ALL),
    "summands → rows": ("collective.reduce_scatter sum {value} along 0 on @world", ALL, ROWS),
    "summands → columns": ("collective.reduce_scatter sum {value} along 1 on @world", ALL, COLUMNS)}


def type_of(form, side, ranks):
    rows, columns = side // ranks if form == ROWS else side, side // ranks if form == COLUMNS else side
    return f"tensor<{rows}x{columns}xf32>"


def write_program(path, ranks, sides):
    """Each rank fills its tensors with its own number; one element of every outcome is summed up in a variable."""
    number = 'tensor<1x1xf32> {train.variable = #train.variable<"sum", other>}'
    lines = []
    for side in sides:
        for form in (ALL, ROWS, COLUMNS):
            kind = type_of(form, side, ranks)
            lines += [f"%space_{form}_{side} = tensor.empty() : {kind}",
                      f"%{form}_{side} = linalg.fill ins(%number : f32) outs(%space_{form}_{side} : {kind}) -> {kind}"]
    last = "%zero"
    for side in sides:
        for index, (text, before, after) in enumerate(TRANSITIONS.values()):
            kinds = [type_of(form, side, ranks) for form in (before, after)]
            result = f"%outcome_{side}_{index}"
            kind = kinds[0] if kinds[0] == kinds[1] else " -> ".join(kinds)
            lines += ["collective.barrier on @world",
                      f"{result} = {text.format(value=f'%{before}_{side}')} : {kind}",
                      f"{result}_one = tensor.extract {result}[%first, %first] : {kinds[1]}",
                      f"{result}_sum = arith.addf {last}, {result}_one : f32"]
            last = f"{result}_sum"
    body = "\n    ".join(lines)
    path.write_text(f"""module attributes {{train.program}} {{
  collective.group @world
  func.func @initialize() -> ({number}) {{
    %sum = arith.constant dense<0.0> : tensor<1x1xf32>
    return %sum : tensor<1x1xf32>
  }}
  func.func @step(%old: {number}) -> ({number}) {{
    %first = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %rank = collective.rank on @world : index
    %integer = arith.index_cast %rank : index to i64
    %number = arith.sitofp %integer : i64 to f32
    {body}
    %own = tensor.from_elements {last} : tensor<1x1xf32>
    %sum = collective.all_reduce sum %own on @world : tensor<1x1xf32>
    return %sum : tensor<1x1xf32>
  }}
}}
""")


def times_of(trace, count):
    """Of the first `count` transitions of a step: measured and predicted seconds."""
    events = [event for event in json.loads(trace.read_text())["traceEvents"]
              if event.get("ph") == "X" and event["cat"] == "collective" and event["args"].get("step", 0) > WARM_UP_STEPS]
    calls = {}  # by step and rank, in order
    for event in sorted(events, key=lambda event: event["ts"]):
        if "barrier" not in event["name"]:
            calls.setdefault((event["args"]["step"], event["pid"]), []).append(event)
    steps = {}
    for (step, _), own in calls.items():
        steps.setdefault(step, []).append(own)
    def length(calls):
        return max(call["ts"] + call["dur"] for call in calls) - max(call["ts"] for call in calls)

    measured = [statistics.median(length([own[index] for own in ranks]) for ranks in steps.values()) for index in range(count)]
    some = next(iter(calls.values()))
    return [(seconds, some[index]["args"]["predicted_us"]) for index, seconds in enumerate(measured)]


def compare(arguments, place, folder):
    program, cluster, trace = (pathlib.Path(folder) / name for name in ("transitions.mlir", "cluster.json", "trace.json"))
    write_program(program, place.ranks, arguments.sides)
    names = [(name, side) for side in arguments.sides for name in TRANSITIONS]
    rounds = []
    for _ in range(arguments.rounds):
        cluster.unlink(missing_ok=True)
        place.run(["--calibrate", cluster])
        place.run([program, "--dataset", run.DIGITS, "--steps", str(arguments.steps), "--cluster", cluster, "--trace", trace])
        rounds.append(times_of(trace, len(names)))
    for (name, side), found in zip(names, zip(*rounds)):
        measured, predicted = (statistics.median(column) for column in zip(*found))
        print(f"| {place.ranks} | {name} | {side * side * 4 // 1024} | {measured:.1f} | {predicted:.1f} "
              f"| {100 * (predicted / measured - 1):+.0f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder of dist-opt and dist-run")
    parser.add_argument("--link", action="store_true", help="two nodes of one rank, joined by a link")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--rate", type=float, default=400, help="megabit a second")
    parser.add_argument("--delay", type=float, default=1, help="milliseconds")
    parser.add_argument("--sides", type=int, nargs="+", default=[32, 128, 512, 2048], help="rows and columns of the whole tensor")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=30)
    arguments = parser.parse_args()
    arguments.programs = arguments.programs.resolve()
    print("| ranks | transition | KiB of the whole | measured, µs | predicted, µs | off by |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        places = [run.TwoNodes(arguments, folder, 1)] if arguments.link else [run.SharedMemory(arguments, ranks) for ranks in arguments.ranks]
        for place in places:
            compare(arguments, place, folder)


if __name__ == "__main__":
    main()
