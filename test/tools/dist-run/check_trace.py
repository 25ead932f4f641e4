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
KINDS = {"step", "phase", "kernel", "collective", "async", "start", "path", "late"}
# Processes that are no ranks, and their threads.
LAUNCHER, PATH = 1000000, 1000001
OTHERS = {LAUNCHER: ("dist-run", ("start",)), PATH: ("critical path", ("what each step waited for", "who was late"))}


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
    check(sorted(set(processes) - set(OTHERS)) == ranks, "processes are", processes)
    for pid, name in processes.items():
        if pid in OTHERS:
            check(name == OTHERS[pid][0], "process", pid, "is", name)
            continue
        check(name.split(" (")[0] == f"rank {pid}", "process", pid, "is", name)
    for event in events:
        if event["ph"] != "M":
            check((event["pid"], event["tid"]) in threads, "thread without a name:", event)
    for (pid, tid), name in threads.items():
        if pid in OTHERS:
            check(name == OTHERS[pid][1][tid], "thread", tid, "is", name)
            continue
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
            part = f", {event['args']['part']}" if "part" in event["args"] else ""
            check(event["name"].endswith(f" of {event['args']['node']}{part}"), "a kernel that does not say its node:", event)
            check(not part or "_backward" not in event["name"].split(" of ")[0], "a part by its kernel's name:", event)


def check_start(events, ranks):
    """What comes before the first step: the launcher's part, then that of each rank, up to the step."""
    spans = [event for event in events if event["ph"] == "X"]
    launched = [event for event in spans if event["cat"] == "start"]
    names = [event["name"] for event in launched if event["pid"] == launched[0]["pid"]]
    check(names == ["read the model, derive and distribute its step", "compile", "look at the data", "start the ranks"], "the launch is", names)
    check({event["pid"] for event in launched} in ({LAUNCHER}, set(ranks)), "who launched:", launched)
    for rank in ranks:
        own = [event for event in spans if event["pid"] == rank]
        first = min((event["ts"] for event in own if event["cat"] == "step"), default=float("inf"))
        early = {event["name"]: event for event in own if event["cat"] == "phase" and event["ts"] < first}
        check({"load the program", "open the data", "rendezvous", "compare plans", "initialize"} <= set(early), "rank", rank, "begins with", list(early))
        begun = early["load the program"]["ts"]
        check(all(event["ts"] <= begun for event in launched if event["pid"] in (rank, LAUNCHER)), "the launch ends after rank", rank, "has begun")
        inside = [event for event in own if event["cat"] == "collective" and event["name"].startswith("broadcast") and event["ts"] < first]
        whole = early["initialize"]
        check(inside or len(ranks) == 1 or not any(event["name"].startswith("broadcast") and "step" not in event["args"] for event in spans), "no broadcast of variables on rank", rank)
        check(all(whole["ts"] <= event["ts"] and end_of(event) <= end_of(whole) + 1e-2 for event in inside), "variables are sent outside of initialize")


def check_path(events, ranks, missing):
    """The critical path of each step that all ranks have covers it, piece after piece; whoever is late is late to what is there."""
    pieces = collections.defaultdict(list)
    for event in events:
        if event.get("cat") == "path":
            pieces[event["args"]["step"]].append(event)
    steps = collections.defaultdict(list)
    for event in events:
        if event.get("cat") == "step":
            steps[event["args"]["step"]].append(event)
    whole = {step for step, spans in steps.items() if len(spans) == len(ranks) and not missing}
    check(set(pieces) == whole, "paths of", sorted(pieces), "steps", sorted(whole))
    before = float("-inf")
    for step, found in sorted(pieces.items()):
        for one, other in zip(found, found[1:]):
            check(abs(end_of(one) - other["ts"]) < 1, "a gap in the path of step", step, one, other)
        begin, end = max(before, min(span["ts"] for span in steps[step])), max(end_of(span) for span in steps[step])
        before = end
        check(abs(found[0]["ts"] - begin) < 1 and abs(end_of(found[-1]) - end) < 1, "the path of step", step, "is not all of it")
        check({event["args"]["rank"] for event in found} <= set(ranks), "a rank that is none")
    names = {event["name"] for event in events if event.get("cat") == "collective"}
    for event in events:
        if event.get("cat") == "late":
            check(event["name"].split(" was last to ")[1] in names, "late to what is not there:", event)


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
    check_start(events, ranks)
    check_path(events, ranks, options.missing)
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
