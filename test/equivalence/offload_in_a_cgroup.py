"""Trains a rank in a memory cgroup that is smaller than its optimizer's states, which lie in a file.

    offload_in_a_cgroup.py FOLDER     which has wide.onnx and wide.npz, and is on a disk

The rank computes most gradients again (--memory), so that states are most of what it has. The limit of the cgroup is what dist-run plans
with --offload, what a rank takes beside any plan (of a run that has all in memory), and 8 MiB. The states must be larger than that; the
rank must live, and have the losses of the run in memory. With states in memory the same limit must end it: else nothing was limited. A limit with room for half of the states must be met with the other half in the file.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import re
import sys

from memory_in_a_cgroup import MIB, UNITS, Group, Launcher, planned, with_group

VALUES = 14  # MiB that values of a step may have


def size(number, unit):
    return float(number) * UNITS[unit]


def main():
    folder = pathlib.Path(sys.argv[1])
    try:
        Group().close()
    except OSError as problem:
        print(f"no cgroup: {problem}")
        return
    launcher = Launcher(folder)

    def run(name, *more):
        arguments = ["-n", "1", folder / "wide.onnx", "--dataset", folder / "wide.npz", "--steps", "2", "--metrics", folder / f"{name}.jsonl",
                     "--train=loss=softmax-cross-entropy optimizer=adam learning-rate=0.001 global-batch=16", *more]
        return lambda group: launcher.launch(group, *arguments)

    free, peak = with_group(None, run("memory"))
    rest = peak - planned(free)
    offload = f"--offload={folder}"
    before = run("plan", offload, "--dry-run")(None).stdout
    needed = re.search(r"memory +([0-9.]+) (\w+) of a rank at most, ([0-9.]+) (\w+) of it values of a step", before)
    plan = size(needed[1], needed[2]) - size(needed[3], needed[4]) + VALUES
    states = size(*re.search(r"states in files +([0-9.]+) (\w+) on disk", before).groups())
    limit = plan + rest + 8
    print(f"{planned(free):.1f} MiB in memory, {rest:.1f} MiB beside them; with a file {plan:.1f} MiB, and {states:.1f} MiB of states on disk")
    if states <= limit:
        sys.exit(f"the limit of {limit:.1f} MiB has room for all states: a larger model tells more")
    survivor, _ = with_group(limit, run("file", offload, f"--memory={int(plan * MIB)}"))
    if planned(survivor) > plan + 0.1:
        sys.exit(f"{planned(survivor)} MiB were planned in the end")
    half, _ = with_group(limit + states / 2, run("half", offload, f"--memory={int((plan + states / 2) * MIB)}"))
    moved = size(*re.search(r"states in files +([0-9.]+) (\w+) on disk", half.stdout).groups())
    if not 0.3 * states < moved < 0.8 * states:
        sys.exit(f"{moved} of {states} MiB of states were in the file where half had to be")
    print("half of the states in the file where that is enough")
    losses = [[json.loads(line).get("loss") for line in (folder / f"{name}.jsonl").read_text().splitlines()] for name in ("memory", "file", "half")]
    if losses.count(losses[0]) < 3 or len(losses[0]) < 2:
        sys.exit(f"other losses: {losses}")
    killed, _ = with_group(limit, run("killed"))
    if killed.returncode == 0:
        sys.exit("without --offload the same limit ended nobody: it was none")
    print(f"in {limit:.1f} MiB the rank lives with equal losses; without --offload: {killed.stderr.strip().splitlines()[-1]}")


if __name__ == "__main__":
    main()
