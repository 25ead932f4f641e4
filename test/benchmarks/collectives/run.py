"""Measures latency and bandwidth of collectives here, in OpenMPI, in MPICH and in Gloo, on one machine.

Contestants take turns within each round, so that drift of the machine meets all of them. Each sample has a
fresh buffer, and says how long a cache line took from one rank to the other just before: two virtual processors
that share a cache behave unlike two that don't, and which of the two they are changes while the benchmark runs.
Figures are medians; ratios compare with the best peer of the same kind of samples.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SIZES = [8 << (3 * i) for i in range(7)] + [16 << 10, 64 << 10, 1 << 20, 4 << 20, 64 << 20]
OPERATIONS = ("all_reduce", "broadcast", "all_to_all")
NEAR_NANOSECONDS = 90
APART_NANOSECONDS = 600  # more than that, and the two take turns on one processor: the machine is busy
# glibc keeps freed memory instead of giving it back to the system and faulting it in again.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_MMAP_THRESHOLD_": str(1 << 40),
               "MALLOC_TOP_PAD_": str(256 << 20)}
TIMEOUT_SECONDS = 300
FEWEST_SAMPLES = 5


class Contestant:
    def __init__(self, name, program, launcher=(), buffers="private", tuned=False):
        self.name = name + (", tuned" if tuned else "")
        self.program, self.launcher, self.buffers, self.tuned = program, launcher, buffers, tuned
        self.is_ours = name.startswith("Tutti")

    def absence(self):
        """What is missing on this machine, or None."""
        if not self.program.exists():
            return f"{self.program.name} is not built"
        if self.launcher and not shutil.which(self.launcher[0]):
            return f"there is no {self.launcher[0]}"
        return None

    def environment(self):
        return dict(os.environ, **(KEEP_MEMORY if self.tuned else {}))

    def samples(self, ranks, operation, sizes, seconds):
        """{bytes: [(microseconds, nanoseconds of a hand-over)]}"""
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            meeting = pathlib.Path(folder, "meeting")
            meeting.touch()
            pathlib.Path(folder, "meeting.gloo").mkdir()
            command = [word.format(ranks=ranks) for word in self.launcher]
            command += [self.program, "--ranks", ranks, "--meeting", meeting, "--operation", operation,
                        "--buffers", self.buffers, "--sizes", ",".join(map(str, sizes)), "--seconds", seconds]
            run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                                 env=self.environment(), timeout=TIMEOUT_SECONDS)
        if run.returncode != 0:
            raise SystemExit(f"error: {self.name} failed with {run.returncode}: {run.stderr.strip()}")
        lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
        return {line["bytes"]: [tuple(sample) for sample in line["samples"]] for line in lines}


def all_contestants(folder):
    openmpi = ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "btl",
               "self,vader", "-n", "{ranks}")
    mpich = ("mpiexec.hydra", "-n", "{ranks}")
    contestants = [Contestant("Tutti", folder / "collectives-benchmark-tutti", buffers="shared"),
                   Contestant("Tutti, private buffers", folder / "collectives-benchmark-tutti")]
    for tuned in (False, True):
        contestants += [Contestant("OpenMPI", folder / "collectives-benchmark-openmpi", openmpi, tuned=tuned),
                        Contestant("MPICH", folder / "collectives-benchmark-mpich", mpich, tuned=tuned),
                        Contestant("Gloo", folder / "collectives-benchmark-gloo", tuned=tuned)]
    return contestants


def label(ranks, hand_over):
    if ranks > (os.cpu_count() or 1):
        return "more ranks than processors"
    if ranks != 2:
        return "a processor a rank"
    if hand_over < NEAR_NANOSECONDS:
        return "a shared cache"
    return "no shared cache" if hand_over < APART_NANOSECONDS else "one processor for both (a busy machine)"


def collect(contestants, arguments):
    """{(ranks, operation, label): {contestant: {bytes: [microseconds]}}}."""
    figures = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    for turn in range(arguments.rounds):
        for ranks in arguments.ranks:
            for operation in arguments.operations:
                for contestant in contestants:
                    samples = contestant.samples(ranks, operation, arguments.sizes, arguments.seconds)
                    for size, values in samples.items():
                        for microseconds, hand_over in values:
                            group = figures[ranks, operation, label(ranks, hand_over)]
                            group[contestant.name][size].append(microseconds)
        print(f"round {turn + 1} of {arguments.rounds} is done", file=sys.stderr)
    return figures


def spelled(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def ratio(ours, peers):
    return f"{min(peers) / ours:.2f}" if peers else "–"


def rows(contestants, medians, sizes):
    """One row a size: times, then how much faster each of ours is than the best peer as installed, and tuned."""
    ours = [c for c in contestants if c.is_ours]
    peers = [c for c in contestants if not c.is_ours]
    for size in sizes:
        times = {c: medians[c.name][size] for c in contestants if size in medians[c.name]}
        cells = [f"{times[c]:.2f}" if c in times else "–" for c in contestants]
        for mine in ours:
            for tuned in (False, True):
                rivals = [times[c] for c in peers if c.tuned == tuned and c in times]
                cells.append(ratio(times[mine], rivals) if mine in times else "–")
        yield [spelled(size)] + cells


def table(contestants, medians, sizes):
    head = ["bytes"] + [f"{c.name}, µs" for c in contestants]
    for c in contestants:
        if c.is_ours:
            head += [f"{c.name}: × installed", "× tuned"]
    lines = [head, ["---"] * len(head)] + list(rows(contestants, medians, sizes))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def report(contestants, figures, arguments):
    for (ranks, operation, kind), group in sorted(figures.items()):
        medians = {c.name: {size: quantile(values, arguments.quantile)
                            for size, values in group[c.name].items() if len(values) >= FEWEST_SAMPLES}
                   for c in contestants}
        if sum(map(len, medians.values())) < len(contestants) * len(arguments.sizes) / 2:
            print(f"\n{operation}, {ranks} ranks, {kind}: too few samples for a table", file=sys.stderr)
            continue
        print(f"\n### {operation}, {ranks} ranks, {kind}\n")
        print(table(contestants, medians, arguments.sizes))


def quantile(values, fraction):
    return sorted(values)[int(fraction * (len(values) - 1))]


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="folder of the built programs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ranks", type=numbers, default=[2, 4])
    parser.add_argument("--sizes", type=numbers, default=sorted(set(SIZES)), help="bytes of a rank's buffer")
    parser.add_argument("--operations", type=lambda text: text.split(","), default=list(OPERATIONS))
    parser.add_argument("--seconds", type=float, default=0.1, help="for each size, in each round")
    parser.add_argument("--quantile", type=float, default=0.5, help="of the samples; a low one on a busy machine")
    parser.add_argument("--json", type=pathlib.Path, help="write all samples to this file")
    arguments = parser.parse_args()
    contestants = []
    for contestant in all_contestants(arguments.programs.resolve()):
        if reason := contestant.absence():
            print(f"{contestant.name} takes no part: {reason}", file=sys.stderr)
        else:
            contestants.append(contestant)
    figures = collect(contestants, arguments)
    report(contestants, figures, arguments)
    if arguments.json:
        entries = [{"ranks": ranks, "operation": operation, "kind": kind, "microseconds": group}
                   for (ranks, operation, kind), group in figures.items()]
        arguments.json.write_text(json.dumps(entries))


if __name__ == "__main__":
    main()
