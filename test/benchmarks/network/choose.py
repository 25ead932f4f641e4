"""Times the ways to train over a slow link that --distribute=auto chooses between, and says how far its choice is from the fastest.

    choose.py --programs BIN [--family NAME SIZE | --width W --layers K] [--rate MBIT] [--delay MS] [--per-node L] [--batch B] [--rounds R] [--steps S] [--also KEYS ...]

The model is an MLP of K layers of width W, or one of test/models/families, such as `gpt2 small`. The link of test/network/link.py joins two nodes of L ranks, which share memory within a node. They are calibrated first, by
`dist-run --calibrate` over that link; the file that this writes is what `auto` chooses by. Then the chosen keys, the second best, and dp,
tp, dp x tp and ZeRO-3 as people write them take turns in each round. A figure is the median over rounds of the median over steps. Needs root.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import wide_mlp

ROOT = pathlib.Path(__file__).resolve().parents[3]
FAMILIES = ROOT / "test" / "models" / "families"
sys.path.insert(0, str(ROOT / "test" / "network"))
from link import Link  # noqa: E402

WARM_UP_STEPS = 3


class Ranks:
    """All ranks of a run over a link, one dist-run each."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.ranks = 2 * arguments.per_node

    def run(self, *words):
        meeting = self.folder / "meeting"
        shutil.rmtree(meeting, ignore_errors=True)
        meeting.mkdir()
        with Link(self.arguments.rate, self.arguments.delay) as link:
            ranks = [self.start(link, rank, meeting, words) for rank in range(self.ranks)]
            said = [rank.communicate(timeout=600) for rank in ranks]
        if any(rank.returncode for rank in ranks):
            sys.exit(f"{words}: {[error for _, error in said]}")
        return said[0]

    def start(self, link, rank, meeting, words):
        side = rank // self.arguments.per_node
        command = [self.arguments.programs / "dist-run", *words, "--backend", "gloo", "--rendezvous", meeting, "--interface", link.devices[side]]
        environment = {"RANK": str(rank), "WORLD_SIZE": str(self.ranks), "LOCAL_RANK": str(rank % self.arguments.per_node),
                       "LOCAL_WORLD_SIZE": str(self.arguments.per_node), "TUTTI_NODE": "ab"[side], "PATH": "/usr/bin:/bin",
                       "HOME": str(self.folder)}
        return link.popen(side, [str(word) for word in command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)


def seconds_per_step(ranks, model, dataset, recipe, keys):
    metrics = ranks.folder / "metrics.jsonl"
    ranks.run(model, f"--train={recipe}", f"--distribute={keys}", "--dataset", dataset, "--steps", ranks.arguments.steps, "--metrics", metrics)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    return statistics.median(ranks.arguments.batch / line["samples_per_second"] for line in lines[WARM_UP_STEPS:])


def chosen(ranks, model, recipe, cluster):
    """Keys of the choice and the second best, and the predicted milliseconds of every candidate."""
    done = subprocess.run([ranks.arguments.programs / "dist-opt", model, f"--train={recipe}",
                           f"--distribute=auto cluster={cluster} auto-ranks={ranks.ranks}", "--remarks=json",
                           "--remarks-filter=distribute-search", "-o", "/dev/null"], capture_output=True, text=True, check=True)
    messages = [json.loads(line)["message"] for line in done.stderr.splitlines() if line.startswith("{")]
    keys = r'(\(the defaults\)|"[^"]*")'
    plain = lambda shown: "" if shown.startswith("(") else shown[1:-1]  # noqa: E731
    choice = next(message for message in messages if message.startswith("step: chose"))
    times = {plain(match[1]): float(match[2]) for message in messages if (match := re.match(rf"candidate {keys}: ([0-9.]+) ms", message))}
    return plain(re.match(rf"step: chose {keys}", choice)[1]), plain(re.search(rf"; second best {keys}", choice)[1]), times


def spell_time(milliseconds):
    """Of a way that the search leaves out, as it cannot be the fastest, there is none."""
    return "not priced" if milliseconds is None else f"{milliseconds:.1f}"


def make_workload(arguments, folder):
    """A model, its data set, and the recipe by which it trains."""
    if not arguments.family:
        recipe = f"loss=softmax-cross-entropy optimizer=adam learning-rate=0.001 global-batch={arguments.batch}"
        return *wide_mlp.write(folder, arguments.width, arguments.layers), recipe
    model, dataset = pathlib.Path(folder) / "family.onnx", pathlib.Path(folder) / "family.npz"
    subprocess.run([sys.executable, FAMILIES / "make_families.py", *arguments.family, model, "--data", dataset, "--samples",
                    str(4 * arguments.batch)], check=True, stdout=subprocess.DEVNULL)
    return model, dataset, f"loss=output optimizer=adam learning-rate=0.001 global-batch={arguments.batch}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder of dist-opt and dist-run")
    parser.add_argument("--rate", type=float, default=400, help="megabit a second")
    parser.add_argument("--delay", type=float, default=0.2, help="milliseconds")
    parser.add_argument("--per-node", type=int, default=1)
    parser.add_argument("--batch", type=int, default=128, help="samples of a step; with fewer than ranks, all ranks share the model")
    parser.add_argument("--family", nargs=2, metavar=("NAME", "SIZE"))
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--also", nargs="*", default=[], metavar="KEYS", help="more ways; CLUSTER in them is the calibrated file")
    arguments = parser.parse_args()
    arguments.programs = arguments.programs.absolute()
    with tempfile.TemporaryDirectory() as folder:
        ranks = Ranks(arguments, pathlib.Path(folder))
        model, dataset, recipe = make_workload(arguments, folder)
        cluster = pathlib.Path(folder) / "cluster.json"
        ranks.run("--calibrate", cluster)
        best, second, predicted = chosen(ranks, model, recipe, cluster)
        ways = {"dp": "", "tp": f"mesh=dp:1,tp:{ranks.ranks}", "ZeRO-3": "shard-optimizer=3"}
        if arguments.batch < ranks.ranks:
            del ways["dp"], ways["ZeRO-3"]
        if ranks.ranks > 2:
            ways["dp x tp"] = f"mesh=dp:{ranks.ranks // 2},tp:2"
        ways |= {f"also {number}": keys.replace("CLUSTER", str(cluster)) for number, keys in enumerate(arguments.also, 1)}
        for name, keys in {"chosen": best, "second best": second}.items():
            known = next((way for way, those in ways.items() if those == keys), None)
            ways = {f"{way}, {name}" if way == known else way: those for way, those in ways.items()} if known else {**ways, name: keys}
        figures = {name: [] for name in ways}
        for _ in range(arguments.rounds):
            for name, keys in ways.items():
                figures[name].append(1e3 * seconds_per_step(ranks, model, dataset, recipe, keys))
    print("| way | keys | predicted, ms | measured, ms (median) | range over rounds, ms |\n| --- | --- | --- | --- | --- |")
    for name, keys in ways.items():
        shown = keys.replace(str(cluster), "cluster.json")
        print(f"| {name} | `{shown}` | {spell_time(predicted.get(keys))} | {statistics.median(figures[name]):.1f} "
              f"| {min(figures[name]):.1f} – {max(figures[name]):.1f} |")
    medians = {ways[name]: statistics.median(times) for name, times in figures.items()}
    print(f"chosen: {medians[best] / min(medians.values()):.3f} x the fastest that was measured")


if __name__ == "__main__":
    main()
