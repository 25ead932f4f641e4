"""Says how often a step moves as many floats: moved_bytes.py TRACE.json ELEMENTS [GROUP RANKS], of a trace of one step, among all ranks or
those of GROUP.

One time is ELEMENTS * 4 * (N - 1) / N bytes of a rank of N: what a reduce_scatter of them sends, or an all_gather; an all_reduce is both.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    steps = {event["pid"]: event for event in events if event.get("ph") == "X" and event["name"].startswith("step ")}
    is_in_step = lambda event: steps[event["pid"]]["ts"] <= event["ts"] <= steps[event["pid"]]["ts"] + steps[event["pid"]]["dur"]
    collectives = [event for event in events if event.get("ph") == "X" and "bytes" in event.get("args", {}) and is_in_step(event)]
    ranks = 1 + max(event["pid"] for event in collectives)
    if len(sys.argv) > 3:
        collectives = [event for event in collectives if event["args"].get("group") == sys.argv[3]]
        ranks = int(sys.argv[4])
    unit = int(sys.argv[2]) * 4 / ranks  # a part, as gathers and scatters count; N - 1 of them move
    times = collections.Counter()
    for event in collectives:
        if event["pid"] != 0:
            continue
        kind, size = event["name"].split()[0], event["args"]["bytes"]
        times[kind] += {"all_gather": size, "reduce_scatter": size, "all_reduce": 2 * size / ranks}[kind] / unit
    print(" ".join(f"{kind} {times[kind]:.3f}" for kind in sorted(times)), f"all {sum(times.values()):.3f}")


main()
