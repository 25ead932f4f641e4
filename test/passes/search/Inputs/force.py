"""Asks dist-opt to choose, then forces every candidate that it has priced, and compares.

    force.py DIST_OPT MODEL CLUSTER RANKS RECIPE [KEYS [MEMORY]]

Each candidate's keys, written by hand, must be predicted to take the time that was printed for them, to the nanosecond; the
second best must take as much longer than the chosen as was printed, and so must the second best form of each tensor; what one rank takes must be its prediction; and the chosen
program must be the text that its keys make.
Prints the chosen keys and the second best.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import math
import re
import subprocess
import sys

KEYS = r'(\(the defaults\)|"[^"]*")'


def to_nanoseconds(plan):
    """Of the predicted step, halves up, as the tool rounds."""
    return math.floor(plan["prediction"]["step_seconds"] * 1e9 + 0.5)


def main():
    tool, model, cluster, ranks, recipe, fixed, memory = (sys.argv[1:] + ["", ""])[:7]

    def distribute(keys, *more):
        done = subprocess.run([tool, model, f"--train={recipe}", f"--distribute={keys}", *more], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            sys.exit(f"{keys}: {done.stderr}")
        return done

    asked = " ".join(["auto", "auto-tensors", f"cluster={cluster}", f"auto-ranks={ranks}", fixed] + ([f"auto-memory={memory}"] if memory else []))
    done = distribute(asked, "--remarks=json", "--remarks-filter=distribute-search")
    remarks = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    choice = [remark["message"] for remark in remarks if remark["kind"] == "passed"]
    assert len(choice) == 1, remarks
    best = re.match(rf"step: chose {KEYS}: ([0-9.]+) ms", choice[0])
    second = re.search(rf"; second best {KEYS}: ([0-9.]+) ms .*?, ([0-9.]+) ms more: ", choice[0])
    tensors = [re.match(r'tensor "[^"]*".*; second best .*?, by (tensor=\S+): ([0-9.]+) ms (more|less)(?:, with .*? which take ([0-9.]+) ms of the time)?', remark["message"])
               for remark in remarks if remark["kind"] == "analysis"]
    priced = [re.match(rf"candidate {KEYS}: ([0-9.]+) ms(?:.* which take ([0-9.]+) ms of the time)?", remark["message"])
              for remark in remarks if remark["kind"] == "analysis"]
    again = {match[1]: match[3] or "0.000000" for match in priced if match}  # of operations that run again to keep to the memory
    times = {match[1]: match[2] for match in priced if match}
    assert best[1] in times and (second[1] in times if second else memory or len(times) == 1), (best, second, times)

    def nanoseconds(text):
        whole, part = text.split(".")
        return int(whole) * 10**6 + int(part)

    def forced(shown, *more):
        keys = "" if shown.startswith("(") else shown[1:-1]
        if more:  # in place of the rules that there are
            keys = " ".join([key for key in keys.split(" ") if not key.startswith("tensor=")] + [*more])
        plan = distribute(keys, f"--specialize-world=ranks={ranks}", f"--cluster={cluster}", "--plan=-", "-o", "/dev/null")
        return to_nanoseconds(json.loads(plan.stdout))

    for shown, time in times.items():
        once = nanoseconds(time) - nanoseconds(again[shown])
        assert forced(shown) == once, f"{shown}: {time} ms printed, {forced(shown)} ns predicted"
    if second:
        difference = nanoseconds(times[second[1]]) - nanoseconds(times[best[1]])
        assert difference == nanoseconds(second[3]), second[0]
    of_one = next((match for remark in remarks
                  if (match := re.match("one rank alone: ([0-9.]+) ms(?:.* which take ([0-9.]+) ms of the time)?", remark["message"]))), None)
    alone = of_one and of_one[1]
    if alone:
        plan = distribute(fixed, "--specialize-world=ranks=1", f"--cluster={cluster}", "--plan=-", "-o", "/dev/null")
        once = nanoseconds(alone) - nanoseconds(of_one[2] or "0.000000")
        assert once == to_nanoseconds(json.loads(plan.stdout)), alone
    no_faster = bool(alone) and nanoseconds(alone) < nanoseconds(best[2]) * 1.05
    assert no_faster == ("ranks are no faster than one" in choice[0]), (alone, choice[0])
    tensors = [match for match in tensors if match]
    for match in tensors:
        difference = nanoseconds(match[2]) * (1 if match[3] == "more" else -1)
        difference += nanoseconds(again[best[1]]) - nanoseconds(match[4] or "0.000000")
        assert forced(best[1], match[1]) - forced(best[1]) == difference, match[0]
    least = min(map(nanoseconds, times.values()))
    assert least <= nanoseconds(best[2]) <= 1.001 * least or memory, best[0]
    keys = "" if best[1].startswith("(") else best[1][1:-1]
    assert done.stdout == distribute(keys).stdout, "the chosen program is not what its keys make"
    repeat = sum(time != "0.000000" for time in again.values())
    print(f"{len(times)} candidates forced" + (f", {repeat} of them with operations that run again" if repeat else "") + (f", {len(tensors)} tensors in another form" if tensors else ""))
    print(f"chosen {best[1]}, " + (f"second {second[1]}" if second else "no second"))


if __name__ == "__main__":
    main()
