"""Times training steps over a link of limited rate and added delay: flat and synchronous communication beside overlap,
hierarchy, and both; variables in parts, with eight micro-batches, gathered for each use beside gathered once a step; and
a model that two ranks share, its micro-batches computed one after the other and together.

Ranks live in two network namespaces joined by the link of test/network/link.py: two nodes, whose ranks share memory
within a node and reach the other by Gloo. The variants take turns in each round, so that drift of the machine meets
all of them. A step's time is what rank 0 sees between two steps; a figure is the median over rounds of the median over
steps. Needs root.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import wide_mlp

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "network"))
from link import Link  # noqa: E402

WARM_UP_STEPS = 3
OVERLAP = ["--collective-overlap"]
HIERARCHY = ["--collective-hierarchy=ranks-per-node={per_node}"]
GRADIENTS = {"flat, synchronous": [], "overlap": OVERLAP}
LEVELS = {**GRADIENTS, "hierarchy": HIERARCHY, "hierarchy and overlap": HIERARCHY + OVERLAP}
PARTS = "shard-optimizer=3 accumulate=8 "
KEPT = {"ZeRO-3, gathered for each use": PARTS, "the same, one layer ahead": PARTS + "overlap=true", "half of it kept for a step": PARTS + "keep-gathered={half}",
        "all of it kept for a step": PARTS + "keep-gathered=all"}
SHARED = "mesh=tp:2 overlap=true"
TURNS = {"tp": SHARED, "tp, in 2 chunks": SHARED + " chunks=2", "tp, in 4 chunks": SHARED + " chunks=4", "tp, 2 micro-batches": SHARED + " accumulate=2", "the same, together": SHARED + " accumulate=2 interleave=2",
         "tp, 4 micro-batches, 2 together": SHARED + " accumulate=4 interleave=2", "the same, 4 together": SHARED + " accumulate=4 interleave=4"}
COMPARISONS = {  # of ranks on a node: keys of --distribute and passes after it, by name; the first is what others are compared with
    "gradients": (1, {name: ("buckets=none", passes) for name, passes in GRADIENTS.items()}),
    "levels": (2, {name: ("buckets=none", passes) for name, passes in LEVELS.items()}),
    "kept": (1, {name: (keys, []) for name, keys in KEPT.items()}),
    "shared": (1, {name: (keys, []) for name, keys in TURNS.items()}),
}


class Setting:
    """Ranks on two nodes, and the programs that they run."""

    def __init__(self, arguments, folder, comparison):
        self.arguments, self.folder = arguments, pathlib.Path(folder)
        self.model, self.dataset = wide_mlp.write(self.folder, arguments.width, arguments.layers)
        self.per_node, self.variants = COMPARISONS[comparison]
        self.programs = {name: self.compile(name, keys, passes) for name, (keys, passes) in self.variants.items()}

    def compile(self, name, keys, passes):
        half = 4 * self.arguments.layers * self.arguments.width**2 // 2
        program = self.folder / f"{name.replace(', ', '-').replace(' ', '-')}-{self.per_node}.mlir"
        recipe = f"loss=softmax-cross-entropy optimizer=sgd learning-rate=0.01 global-batch={self.arguments.batch}"
        subprocess.run([self.arguments.programs / "dist-opt", self.model, f"--train={recipe}", f"--distribute={keys.format(half=half)}",
                        f"--specialize-world=ranks={2 * self.per_node}",
                        *[word.format(per_node=self.per_node) for word in passes], "-o", program], check=True)
        return program

    def seconds_per_step(self, name):
        """Of one run, and the bytes that crossed to side a in a step."""
        meeting = self.folder / "meeting"
        shutil.rmtree(meeting, ignore_errors=True)
        meeting.mkdir()
        metrics = self.folder / "metrics.jsonl"
        with Link(self.arguments.rate, self.arguments.delay) as link:
            ranks = [self.start(link, rank, name, meeting, metrics) for rank in range(2 * self.per_node)]
            complaints = [rank.communicate(timeout=300)[1] for rank in ranks]
            if any(rank.returncode for rank in ranks):
                sys.exit(f"{name}: {complaints}")
            carried = link.received_bytes(0) / self.arguments.steps
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return statistics.median(self.arguments.batch / line["samples_per_second"] for line in lines[WARM_UP_STEPS:]), carried

    def start(self, link, rank, name, meeting, metrics):
        side = rank // self.per_node
        command = [self.arguments.programs / "dist-run", self.programs[name], "--dataset", self.dataset, "--steps",
                   str(self.arguments.steps), "--rendezvous", meeting, "--interface", link.devices[side], "--metrics", metrics]
        environment = {"RANK": str(rank), "WORLD_SIZE": str(2 * self.per_node), "TUTTI_NODE": "ab"[side], "PATH": "/usr/bin:/bin",
                       "HOME": str(self.folder)}
        return link.popen(side, [str(word) for word in command], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)


def table(settings, figures):
    lines = ["| ranks | communication | step, ms (median) | range over rounds, ms | MB a step to one node | shorter by |",
             "| --- | --- | --- | --- | --- | --- |"]
    for setting in settings:
        base = statistics.median(seconds for seconds, _ in figures[setting][next(iter(setting.variants))])
        for name in setting.variants:
            rounds = [1e3 * seconds for seconds, _ in figures[setting][name]]
            carried = statistics.median(bytes for _, bytes in figures[setting][name])
            lines.append(f"| 2 x {setting.per_node} | {name} | {statistics.median(rounds):.0f} | {min(rounds):.0f} – {max(rounds):.0f} "
                         f"| {carried / 1e6:.1f} | {1e3 * base / statistics.median(rounds):.2f} x |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder of dist-opt and dist-run")
    parser.add_argument("--compare", nargs="*", choices=COMPARISONS, default=list(COMPARISONS), help="what is compared; all of it")
    parser.add_argument("--rate", type=float, default=400, help="megabit a second")
    parser.add_argument("--delay", type=float, default=1, help="milliseconds")
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=12)
    arguments = parser.parse_args()
    arguments.programs = arguments.programs.resolve()
    with tempfile.TemporaryDirectory() as folder:
        settings = [Setting(arguments, folder, comparison) for comparison in arguments.compare]
        figures = {setting: {name: [] for name in setting.variants} for setting in settings}
        for _ in range(arguments.rounds):
            for setting in settings:
                for name in setting.variants:
                    figures[setting][name].append(setting.seconds_per_step(name))
    print(table(settings, figures))


if __name__ == "__main__":
    main()
