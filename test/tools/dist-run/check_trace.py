"""Checks a trace of dist-run as strictly as its readers might, and says in one line what is in it.

    check_trace.py TRACE.json RANKS FIRST_STEP LAST_STEP [--missing RANK]... [--plan PLAN.json]

With a plan, as dist-opt writes it: every entry is there on every rank, as often as planned, with what was predicted.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import json
import re
import sys

NUMBERS = (int, float)
KINDS = {"step", "phase", "kernel", "collective", "async"}


def check(condition, *what):
    if not condition:
        sys.exit("bad trace: " + " ".join(map(str, what)))


def check_fields(event):
    check(isinstance(event.get("name"), str) and event["name"], "no name:", event)
    check(isinstance(event.get("pid"), int) and isinstance(event.get("tid"), int), "no pid or tid:", event)
    phase = event.get("ph")
    check(phase in set("MXCstfi"), "unknown phase:", event)
    if phase != "M":
        check(isinstance(event.get("ts"), NUMBERS), "no time:", event)
    if phase == "X":
        check(isinstance(event.get("dur"), NUMBERS) and event["dur"] >= 0, "no duration:", event)
        check(event.get("cat") in KINDS and isinstance(event.get("args"), dict), "no category:", event)
    if phase in "stf":
        check(isinstance(event.get("id"), int) and event.get("bp") == "e", "no id of a flow:", event)


def check_names(events, ranks):
    processes, threads = {}, {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
        if event["ph"] == "M" and event["name"] == "thread_name":
            threads[event["pid"], event["tid"]] = event["args"]["name"]
    check(sorted(processes) == ranks, "processes are", processes)
    for pid, name in processes.items():
        check(name.split(" (")[0] == f"rank {pid}", "process", pid, "is", name)
    for event in events:
        if event["ph"] != "M":
            check((event["pid"], event["tid"]) in threads, "thread without a name:", event)
    for (_, tid), name in threads.items():
        check(name == ("compute", "communication")[tid], "thread", tid, "is", name)


def spans_by_thread(events):
    threads = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            threads[event["pid"], event["tid"]].append(event)
    return threads


def end_of(span):
    return span["ts"] + span["dur"]


def check_nesting(spans):
    """Ordered by time, and each inside its parent or after it; children never outlast their parent together."""
    slack = 2e-3  # microseconds: the sum of a start and a duration, rounded
    open_spans, inside = [], collections.Counter()
    for index, span in enumerate(spans):
        check(index == 0 or span["ts"] >= spans[index - 1]["ts"], "out of order:", span)
        while open_spans and end_of(spans[open_spans[-1]]) <= span["ts"] + slack / 2:
            open_spans.pop()
        if open_spans:
            parent = spans[open_spans[-1]]
            check(end_of(span) <= end_of(parent) + slack, "overlap:", span, parent)
            inside[open_spans[-1]] += span["dur"]
        open_spans.append(index)
    for index, total in inside.items():
        check(total <= spans[index]["dur"] + slack * 100, "children of", spans[index], "last", total)


def check_flows(events):
    flows = collections.defaultdict(list)
    for event in events:
        if event["ph"] in "stf":
            flows[event["id"]].append(event)
    for points in flows.values():
        points.sort(key=lambda event: (event["ts"], "stf".index(event["ph"])))
        check([point["ph"] for point in points] == ["s", "t", "f"], "broken flow:", points)
        check([point["tid"] for point in points] == [0, 1, 0], "flow between threads:", points)
        check(len({point["pid"] for point in points}) == 1, "flow between ranks:", points)
    return len(flows)


def check_counters(events, ranks, missing):
    moved = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "C":
            moved[event["pid"]].append((event["ts"], event["args"]["payload"]))
    for pid, values in moved.items():
        check(values == sorted(values), "the counter of rank", pid, "goes back")
    if not missing:
        check(len({values[-1][1] for values in moved.values()}) <= 1, "ranks moved different amounts")


def check_steps(events, ranks, first, last):
    for rank in ranks:
        steps = [event for event in events if event["pid"] == rank and event.get("cat") == "step"]
        names = [step["name"] for step in steps]
        check(names == [f"step {n}" for n in range(first, last + 1)], "steps of rank", rank, "are", names)
        check([step["args"]["step"] for step in steps] == list(range(first, last + 1)), "numbers of steps")


def check_plan(events, ranks, first, last):
    """Every entry of the plan stands in every step of every rank, as often as in the first."""
    counts = collections.Counter()
    for event in events:
        if event.get("cat") == "collective" and event["ph"] == "X":
            args = event["args"]
            check(abs(args["measured_us"] - event["dur"]) < 1e-6, "measured differently:", event)
            check(isinstance(args["bytes"], int) and isinstance(args["plan_entry"], int), "arguments:", event)
            if "step" in args:
                counts[args["plan_entry"], event["name"], event["pid"], args["step"]] += 1
    entries = {key[:2] for key in counts}
    for entry in entries:
        times = {counts[(*entry, rank, step)] for rank in ranks for step in range(first, last + 1)}
        check(len(times) == 1, "plan entry", entry, "stands", times, "times in a step")
    return len(entries)


def check_kernels(events):
    for event in events:
        if event.get("cat") == "kernel":
            check(event["args"].get("node"), "a kernel of no node:", event)
            check(event["name"].endswith(f" of {event['args']['node']}"), "a kernel that does not say its node:", event)


def check_prediction(spans, entry):
    check(all(span["args"].get("source") == entry["source"] for span in spans), "sources of", entry)
    for span in spans:
        predicted = span["args"].get("predicted_us")
        check(isinstance(predicted, NUMBERS) and predicted > 0, "no prediction:", span)
        check(abs(predicted - entry["predicted_seconds"] * 1e6) <= 1e-9 * predicted, "another prediction:", span, entry)
        check(span["args"]["measured_us"] > 0 and span["dur"] > 0, "not measured:", span)


def check_against(plan, events, ranks, first, last):
    """Every entry of the plan, predicted beside measured, on all ranks."""
    spans = collections.defaultdict(list)
    for event in events:
        if event.get("cat") == "collective" and event["ph"] == "X":
            spans[event["args"]["plan_entry"], event["pid"]].append(event)
    planned = [entry for entry in plan["plan"] if entry["function"] in ("initialize", "step")]
    for entry in planned:
        steps = last - first + 1 if entry["function"] == "step" else 1
        for rank in ranks:
            found = spans[entry["id"], rank]
            check(len(found) == steps * entry["times"], "rank", rank, "has", len(found), "spans of", entry)
            check_prediction(found, entry)
    return len(planned)


def clock_errors(events):
    """How far the clocks of two ranks may be apart, in microseconds, and how many ranks say so."""
    labels = [event["args"]["labels"] for event in events if event["ph"] == "M" and event["name"] == "process_labels"]
    errors = [float(re.fullmatch(r"clock known to ([0-9.e+-]+) us", label)[1]) for label in labels]
    return 5 + 2 * max(errors, default=0), len(errors)


def check_clocks(events, tolerance):
    """No rank leaves a reduction over the world before every rank has entered it."""
    calls = collections.defaultdict(list)
    for event in events:
        args = event.get("args", {})
        if event.get("cat") == "collective" and "all_reduce" in event["name"] and args.get("group") == "world":
            calls[args["plan_entry"], args.get("step"), event["pid"]].append(event)
    entered, left = collections.defaultdict(list), collections.defaultdict(list)
    for (entry, step, _), spans in calls.items():
        if len(spans) == 1:
            entered[entry, step].append(spans[0]["ts"])
            left[entry, step].append(end_of(spans[0]))
    for call, begins in entered.items():
        late = max(begins) - min(left[call])
        check(late <= tolerance, "a rank left", call, late, "us before another entered it")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("numbers", nargs=3, type=int)
    parser.add_argument("--missing", type=int, action="append", default=[])
    parser.add_argument("--plan")
    options = parser.parse_args()
    count, first, last = options.numbers
    with open(options.trace, encoding="utf-8") as file:
        trace = json.load(file, parse_constant=lambda word: sys.exit(f"not JSON: {word}"))
    check(trace["displayTimeUnit"] == "ms" and trace["otherData"]["ranks"] == count, "the frame:", trace["otherData"])
    check(trace["otherData"].get("missing_ranks", []) == options.missing, "missing:", trace["otherData"])
    events, ranks = trace["traceEvents"], [rank for rank in range(count) if rank not in options.missing]
    for event in events:
        check_fields(event)
    check_names(events, ranks)
    for spans in spans_by_thread(events).values():
        check_nesting(spans)
    flows = check_flows(events)
    check_counters(events, ranks, options.missing)
    if last >= first:
        check_steps(events, ranks, first, last)
    entries = check_plan(events, ranks, first, last)
    check_kernels(events)
    if options.plan:
        with open(options.plan, encoding="utf-8") as file:
            planned = check_against(json.load(file), events, ranks, first, last)
        print(f"all {planned} planned entries predicted and measured")
    tolerance, clocks = clock_errors(events)
    check_clocks(events, tolerance)
    predicted = sum("predicted_us" in event.get("args", {}) for event in events)
    print(f"{len(ranks)} ranks, steps {first} to {last}, {entries} plan entries a step, {flows} flows, "
          f"{'some' if predicted else 'nothing'} predicted, {clocks} clocks measured")


if __name__ == "__main__":
    main()
