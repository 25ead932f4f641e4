"""Trains a model family (test/models/families) and compares each loss with what PyTorch got.

    train_family.py FAMILY SIZE FOLDER --optimizer NAME --ranks N [--fixed-batch N] [--distribute KEYS] [--limit LIMIT]
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import pathlib
import subprocess
import sys

FAMILIES = pathlib.Path(__file__).resolve().parent.parent / "models" / "families"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family")
    parser.add_argument("size")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--optimizer", required=True)
    parser.add_argument("--ranks", required=True)
    parser.add_argument("--fixed-batch", help="the file has this batch, as torch.onnx.export writes it by default")
    parser.add_argument("--distribute", help="keys of dist-run --distribute")
    parser.add_argument("--limit", type=float, default=2e-5, help="of |difference| / loss, at each step")
    arguments = parser.parse_args()
    expected = json.loads((FAMILIES / "expected" / f"{arguments.family}_{arguments.size}.json").read_text())
    run = expected["runs"][arguments.optimizer]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    model, data, metrics = (str(arguments.folder / name) for name in ("model.onnx", "data.npz", "metrics.jsonl"))
    fixed = ["--batch", arguments.fixed_batch] if arguments.fixed_batch else []
    subprocess.run([sys.executable, FAMILIES / "make_families.py", arguments.family, arguments.size, model, "--data", data, *fixed],
                   check=True)
    subprocess.run(["dist-run", "-n", arguments.ranks, model, "--dataset", data, "--shuffle=false",
                    f"--steps={expected['steps']}", f"--train={run['train']} global-batch={expected['global_batch']}",
                    "--metrics", metrics, *([f"--distribute={arguments.distribute}"] if arguments.distribute else [])], check=True)
    with open(metrics, encoding="utf-8") as lines:
        losses = [json.loads(line)["loss"] for line in lines]
    if len(losses) != len(run["loss"]):
        sys.exit(f"{len(losses)} steps, expected {len(run['loss'])}")
    worst = max(abs(a - b) / abs(b) for a, b in zip(losses, run["loss"]))
    print(f"{arguments.family} {arguments.size} {arguments.optimizer} -n {arguments.ranks}: largest relative difference {worst:.1e}")
    if worst > arguments.limit:
        sys.exit(f"expected {run['loss']}\nfound    {losses}")


main()
