"""One program in three forms: the dialect collective, generic StableHLO, and the dialect of examples/embed.

    compare_forms.py DIST_OPT TINY_OPT

The files beside this one say it in each form, with its collectives, as accepted.FORM.mlir. In all three it gets the same buckets
under each limit, the same verdict of the proof of order, and the same plan, but for places in the files. refused.FORM.mlir is refused
with the same words. training.FORM.mlir is a step of one device: distribution writes its collectives.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
# Bytes of a bucket at most, and the elements of the buckets of @step: sums of 1024, 256, 2048, 512 and 16 (in a loop), and a
# maximum of 64. The first value alone fills the smallest.
LIMITS = {
    1024: [[1024], [256], [64], [2048], [512], [16]],
    6000: [[1024, 256], [64], [2048], [512], [16]],
    10240: [[2048, 512], [1024, 256], [64], [16]],
    1 << 20: [[1024, 256, 2048, 512], [64], [16]],
}


def fail(text):
    sys.exit(f"error: {text}")


class Form:
    """How programs of one form are read."""

    def __init__(self, name, tool, *reading):
        self.name, self.command = name, [tool, *reading]

    def run(self, program, *passes):
        """(status, messages, plan) of the passes on a program."""
        done = subprocess.run([*self.command, *passes, "--collective-emit-plan=file=-", "-o", "/dev/null"], input=program,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stderr, json.loads(done.stdout)["plan"] if done.returncode == 0 else None

    def text(self, program):
        return (FOLDER / f"{program}.{self.name}.mlir").read_text()


def without_places(plan):
    """The plan but for `source`, which names places in the text of a form."""
    return [{key: value for key, value in entry.items() if key != "source"} for entry in plan]


def without_names(messages):
    """Messages but for the names of operations, places in the text, and the lines that quote it."""
    lines = [re.sub(r"'\w+\.\w+'", "OPERATION", line) for line in messages.splitlines()]
    return [re.sub(r"^\S+:\d+:\d+: ", "", line) for line in lines if re.match(r"^\S+:\d+:\d+: ", line)]


def require_equal(what, found):
    """`found`: what each form gave."""
    first, *others = found.items()
    for name, value in others:
        if value != first[1]:
            fail(f"{what}: in {first[0]}\n{first[1]}\nbut in {name}\n{value}")


def buckets_of(plan, function):
    return [entry["elements"] for entry in plan if entry["function"] == function]


def compare_buckets(forms):
    for limit, expected in LIMITS.items():
        found = {form.name: form.run(form.text("accepted"), f"--collective-fuse=bucket-bytes={limit} first-bucket-bytes={limit}",
                                     "--collective-verify-order") for form in forms}
        for name, (status, messages, plan) in found.items():
            if status != 0:
                fail(f"{name} is refused: {messages}")
            if buckets_of(plan, "step") != expected:
                fail(f"{name} has the buckets {buckets_of(plan, 'step')} of {limit} bytes, not {expected}")
        require_equal(f"plans with buckets of {limit} bytes", {name: without_places(plan) for name, (_, _, plan) in found.items()})


def compare_refusals(forms):
    found = {form.name: form.run(form.text("refused"), "--collective-verify-order") for form in forms}
    for name, (status, messages, _) in found.items():
        if status == 0 or "not all ranks reach" not in messages:
            fail(f"{name} is not refused, or for another reason: {messages}")
    require_equal("verdicts", {name: without_names(messages) for name, (_, messages, _) in found.items()})


def compare_training(dist_opt, tiny, stablehlo):
    """Distribution writes the dialect of the group. A StableHLO step adds up parts of a mean, where ours takes the mean of means:
    the same buckets of the same bytes. Its variables come from the host, so that no broadcast makes them equal."""
    program = tiny.text("training")
    passes = ["--distribute", "--specialize-world=ranks=2", "--train-specialize-batch", "--collective-verify-order"]
    found = {"tiny": tiny.run(program, *passes),
             "collective": tiny.run(program.replace("tiny.ranks", "collective.group"), *passes)}
    for name, (status, messages, plan) in found.items():
        if status != 0 or buckets_of(plan, "step") != [[3, 3]]:
            fail(f"{name}: {messages or plan}")
    require_equal("plans of what was distributed", {name: without_places(plan) for name, (_, _, plan) in found.items()})
    status, messages, plan = Form("stablehlo", dist_opt, "--allow-unregistered-dialect").run(
        stablehlo.text("training"), "--stablehlo-import-roles", "--stablehlo-distribute=ranks=2", "--collective-fuse",
        "--distribute-verify-replication", "--collective-verify-order")
    if status != 0:
        fail(messages)
    ours = [entry for entry in without_places(found["tiny"][2]) if entry["function"] == "step"]
    require_equal("steps", {"tiny": [{**entry, "reduction": "", "id": 0} for entry in ours],
                            "stablehlo": [{**entry, "reduction": "", "id": 0} for entry in without_places(plan)]})


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    dist_opt, tiny_opt = sys.argv[1:]
    collective, tiny = Form("collective", dist_opt), Form("tiny", tiny_opt)
    stablehlo = Form("stablehlo", dist_opt, "--allow-unregistered-dialect", "--convert-stablehlo-to-collective")
    forms = (collective, stablehlo, tiny)
    compare_buckets(forms)
    compare_refusals(forms)
    compare_training(dist_opt, tiny, stablehlo)
    print(f"{len(LIMITS)} limits, 3 forms: equal buckets, verdicts and plans")


if __name__ == "__main__":
    main()
