"""Compares predicted with measured training steps: `dist-run --calibrate` on the very ranks, `dist-opt --plan --cluster`,
then the run itself.

On this machine ranks share memory. With --link they live in two network namespaces joined by the link of
test/network/link.py (needs root): two nodes, that reach each other by Gloo; then communication is flat, overlapped and
hierarchical as far as this build has the passes. A step's time is what rank 0 sees between two steps; a figure is the
median over rounds of the median over steps, and every round calibrates anew.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "test" / "network"), *(str(ROOT / "test" / "benchmarks" / name) for name in ("mlp_step", "network"))]
import wide_mlp  # noqa: E402
import workload  # noqa: E402
from link import Link  # noqa: E402

WARM_UP_STEPS = 3
DIGITS = ROOT / "test" / "data" / "digits_train.npz"
MODELS = {"digits MLP": (ROOT / "test" / "models" / "digits_mlp.onnx", 64),
          "digits CNN": (ROOT / "test" / "models" / "digits_cnn.onnx", 64)}
FUSED = ["--collective-fuse"]
OVERLAP = ["--collective-overlap"]
HIERARCHY = ["--collective-hierarchy=ranks-per-node={per_node}"]
VARIANTS = {"flat": [], "flat, one bucket a MiB": FUSED, "overlap": OVERLAP, "hierarchy": HIERARCHY,
            "hierarchy, overlap": HIERARCHY + OVERLAP}


class SharedMemory:
    """Ranks that dist-run starts."""

    def __init__(self, arguments, ranks):
        self.programs, self.ranks, self.per_node = arguments.programs, ranks, ranks

    def run(self, words):
        subprocess.run([self.programs / "dist-run", "-n", str(self.ranks), *words], check=True, capture_output=True)


class TwoNodes:
    """Ranks that are started one by one, on the two sides of a link."""

    def __init__(self, arguments, folder, per_node):
        self.arguments, self.folder, self.per_node, self.ranks = arguments, pathlib.Path(folder), per_node, 2 * per_node

    def run(self, words):
        meeting = self.folder / "meeting"
        shutil.rmtree(meeting, ignore_errors=True)
        meeting.mkdir()
        with Link(self.arguments.rate, self.arguments.delay) as link:
            started = [self.start(link, rank, [*words, "--rendezvous", meeting]) for rank in range(self.ranks)]
            complaints = [rank.communicate(timeout=300)[1] for rank in started]
        if any(rank.returncode for rank in started):
            sys.exit("\n".join(complaints))

    def start(self, link, rank, words):
        side = rank // self.per_node
        environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(self.ranks), "TUTTI_NODE": "ab"[side]}
        command = [self.arguments.programs / "dist-run", *words, "--interface", link.devices[side]]
        return link.popen(side, [str(word) for word in command], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)


class Comparison:
    """One program on one set of ranks."""

    def __init__(self, arguments, folder, place, name, model, dataset, batch, passes=()):
        self.arguments, self.place, self.name, self.dataset, self.batch = arguments, place, name, dataset, batch
        self.folder = pathlib.Path(folder)
        self.program = self.folder / "program.mlir"
        recipe = f"loss=softmax-cross-entropy optimizer=sgd learning-rate=0.01 global-batch={batch}"
        self.prepare = [arguments.programs / "dist-opt", model, f"--train={recipe}", "--distribute=buckets=none",
                        f"--specialize-world=ranks={place.ranks}", *[word.format(per_node=place.per_node) for word in passes]]

    def predicted(self, cluster):
        plan = self.folder / "plan.json"
        subprocess.run([*self.prepare, f"--plan={plan}", f"--cluster={cluster}", "-o", self.program], check=True)
        return json.loads(plan.read_text())["prediction"]

    def measured(self):
        metrics = self.folder / "metrics.jsonl"
        self.place.run([self.program, "--dataset", self.dataset, "--steps", str(self.arguments.steps), "--metrics", metrics])
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return statistics.median(self.batch / line["samples_per_second"] for line in lines[WARM_UP_STEPS:])


def comparisons_in_memory(arguments, folder):
    model, dataset = workload.write(folder)
    for ranks in arguments.ranks:
        place = SharedMemory(arguments, ranks)
        yield place, [Comparison(arguments, folder, place, "MLP 784-512-512-10", model, dataset, 256),
                      *[Comparison(arguments, folder, place, name, path, DIGITS, batch)
                        for name, (path, batch) in MODELS.items()]]


def comparisons_over_link(arguments, folder):
    model, dataset = wide_mlp.write(folder, arguments.width, arguments.layers)
    offered = subprocess.run([arguments.programs / "dist-opt", "--help"], check=True, capture_output=True, text=True).stdout
    for per_node in arguments.ranks:
        place = TwoNodes(arguments, folder, per_node)
        variants = {name: passes for name, passes in VARIANTS.items()
                    if all(word.split("=")[0] in offered for word in passes) and (per_node > 1 or not name.startswith("hier"))}
        yield place, [Comparison(arguments, folder, place, name, model, dataset, arguments.batch, passes)
                      for name, passes in variants.items()]


def row(place, name, figures):
    predicted = statistics.median(prediction["step_seconds"] for prediction, _ in figures)
    exposed = statistics.median(prediction["exposed_seconds"] for prediction, _ in figures)
    measured = statistics.median(seconds for _, seconds in figures)
    return (f"| {place.ranks} | {name} | {1e3 * measured:.3f} | {1e3 * predicted:.3f} | {1e3 * exposed:.3f} "
            f"| {100 * (predicted / measured - 1):+.0f} % |")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder of dist-opt and dist-run")
    parser.add_argument("--link", action="store_true", help="two nodes joined by a link, --ranks on each")
    parser.add_argument("--ranks", type=int, nargs="+", help="(default: 1 2 4; with --link 1 2)")
    parser.add_argument("--rate", type=float, default=400, help="megabit a second")
    parser.add_argument("--delay", type=float, default=1, help="milliseconds")
    parser.add_argument("--batch", type=int, default=2048, help="over the link")
    parser.add_argument("--width", type=int, default=512, help="of the MLP over the link")
    parser.add_argument("--layers", type=int, default=5, help="of the MLP over the link")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=30)
    arguments = parser.parse_args()
    arguments.programs = arguments.programs.resolve()
    arguments.ranks = arguments.ranks or ([1, 2] if arguments.link else [1, 2, 4])
    return arguments


def main():
    arguments = read_options()
    print("| ranks | program | measured, ms | predicted, ms | of which exposed communication | off by |\n"
          "| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        list_comparisons = comparisons_over_link if arguments.link else comparisons_in_memory
        for place, comparisons in list_comparisons(arguments, folder):
            figures = {comparison: [] for comparison in comparisons}
            cluster = pathlib.Path(folder) / "cluster.json"
            for _ in range(arguments.rounds):
                with contextlib.suppress(FileNotFoundError):
                    cluster.unlink()
                place.run(["--calibrate", cluster])
                for comparison, found in figures.items():
                    found.append((comparison.predicted(cluster), comparison.measured()))
            for comparison, found in figures.items():
                print(row(place, comparison.name, found), flush=True)


if __name__ == "__main__":
    main()
