"""Counts late ranks in a trace anew, and holds the digest in a run's record against that: check_lateness.py TRACE.json REPORT.json.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import sys


def meetings_of(events):
    """Begin and end of each rank, by step, entry of the plan, and call in the step."""
    calls, meetings = collections.Counter(), collections.defaultdict(dict)
    for event in events:
        arguments = event.get("args", {})
        if event.get("cat") != "collective" or arguments.get("group") != "world" or "step" not in arguments:
            continue
        place = (arguments["step"], arguments["plan_entry"], event["pid"])
        calls[place] += 1
        meetings[place[:2] + (calls[place],)][event["pid"]] = (event["ts"], event["ts"] + event["dur"])
    return [met for met in meetings.values() if len(met) == 2]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    with open(sys.argv[2], encoding="utf-8") as file:
        trace = json.load(file)["trace"]
    late = trace["late"]
    met = meetings_of(events)
    assert late["collectives"] == len(met) >= 20, (late, len(met))
    for rank in (0, 1):
        # Of ranks that begin at the same tick of the clock, the lower one counts as the last.
        lost = [spans for spans in met if (spans[rank][0], -rank) > (spans[1 - rank][0], rank - 1)]
        told = late["ranks"][rank]
        assert told["last"] == len(lost), (told, len(lost))
        cost = sum(min(spans[rank][0], spans[1 - rank][1]) - spans[1 - rank][0] for spans in lost)
        assert abs(told["cost"] - cost) < 1 + 1e-6 * cost, (told, cost)
    timeline = trace["timeline"]
    path, length = timeline["path"], timeline["length"]
    assert path and {piece[1] for piece in path} <= {"computation", "communication", "data", "before"}
    assert any(piece[1] == "communication" for piece in path) and any(piece[1] != "communication" for piece in path)
    for one, other in zip(path, path[1:]):
        assert abs(one[3] + one[4] - other[3]) < 1, (one, other)
    covered = sum(piece[4] for piece in path)
    assert 0.99 * length < covered < 1.01 * length, (covered, length)
    # The compute thread's own collectives, and what it starts and awaits, are communication.
    steps = collections.Counter(event["pid"] for event in events if event.get("cat") == "step")
    for row in trace["split"]:
        spent = sum(event["dur"] for event in events if event.get("cat") in ("collective", "async") and event.get("ph") == "X" and event["tid"] == 0
                    and event["pid"] == row["rank"] and "step" in event.get("args", {}))
        told = (row["communication"] + row["waiting"]) * steps[row["rank"]]
        assert abs(told - spent) < 0.05 * spent, (row, told, spent)
    print("late ranks and the path agree with the trace")


if __name__ == "__main__":
    main()
