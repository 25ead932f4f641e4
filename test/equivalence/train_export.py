"""Trains a network that PyTorch exported (test/models/exports) and compares each loss with PyTorch's.

    train_export.py NAME FOLDER --ranks N [N ...]

The file with a batch that varies is trained, and the one with a batch of 4 if there is one, on each number of ranks.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

EXPORTS = pathlib.Path(__file__).resolve().parent.parent / "models" / "exports"
sys.path.insert(0, str(EXPORTS))
import samples  # noqa: E402

LIMIT = 2e-6  # of |difference| / loss
RECIPE = f"loss=softmax-cross-entropy optimizer=sgd learning-rate=0.05 global-batch={samples.BATCH}"


def losses_of(model, data, ranks, metrics):
    subprocess.run(["dist-run", "-n", ranks, model, "--dataset", data, "--shuffle=false", f"--steps={samples.STEPS}",
                    f"--train={RECIPE}", "--metrics", metrics], check=True, stdout=subprocess.DEVNULL)
    return [json.loads(line)["loss"] for line in metrics.read_text().splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", nargs="+", required=True)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    expected = json.loads((EXPORTS / "expected.json").read_text())[arguments.name]
    data, metrics = arguments.folder / "data.npz", arguments.folder / "metrics.jsonl"
    np.savez(data, **samples.make(expected["kind"]))
    for form in ("", ".fixed"):
        model = EXPORTS / f"{arguments.name}{form}.onnx"
        for ranks in arguments.ranks if not form or model.exists() else ():
            losses = losses_of(model, data, ranks, metrics)
            worst = max(abs(a - b) / abs(b) for a, b in zip(losses, expected["loss"], strict=True))
            print(f"{arguments.name}{form} -n {ranks}: largest relative difference {worst:.1e}", flush=True)
            if worst > LIMIT:
                sys.exit(f"expected {expected['loss']}\nfound    {losses}")


main()
