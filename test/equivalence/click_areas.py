"""Compares the evaluations in files of metrics.

    click_areas.py close METRICS...                          AUC and loss differ by less than 1e-4
    click_areas.py near METRICS...                           AUC differs by less than 0.01
    click_areas.py predicted DATA VARIABLES METRICS...       AUC and loss of wide_and_deep are those of numpy in f64, and every AUC
                                                             has the same bits

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import struct
import sys

import numpy as np
from sklearn.metrics import log_loss, roc_auc_score

TABLES = ("user", "item", "tags", "category", "device")


def last_evaluation(path):
    with open(path, encoding="utf-8") as file:
        found = [line["evaluation"] for line in map(json.loads, file) if "evaluation" in line]
    return found[-1]


def read_variables(path):
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<Q", content[:8])[0]
    variables = {}
    for name, entry in json.loads(content[8:8 + length]).items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        part = content[8 + length + begin:8 + length + end]
        variables[name] = np.frombuffer(part, "<f4").reshape(entry["shape"]).astype(np.float64)
    return variables


def predict(data, variables):
    """The logits of Wide & Deep."""
    def rows(group, table):
        found = variables[f"{group}.{table}.weight"][data[table]]
        return found if found.ndim == 2 else found.mean(axis=1)

    def linear(name, x):
        return x @ variables[name + ".weight"].T + variables[name + ".bias"]

    dense = data["dense"].astype(np.float64)
    x = np.concatenate([rows("tables", table) for table in TABLES] + [dense], axis=1)
    for layer in ("deep.0", "deep.2"):
        x = np.maximum(linear(layer, x), 0)
    wide = sum(rows("wide", table) for table in TABLES) + linear("wide_dense", dense)
    return (wide + linear("deep.4", x))[:, 0]


def check_close(found):
    for evaluation in found[1:]:
        for name in ("loss", "auc"):
            if not abs(evaluation[name] - found[0][name]) < 1e-4:
                sys.exit(f"{name}: {found}")


def check_near(found):
    for evaluation in found[1:]:
        if not abs(evaluation["auc"] - found[0]["auc"]) < 0.01 or found[0]["auc"] < 0.75:
            sys.exit(f"auc: {found}")


def check_predicted(data, variables, found):
    data, logits = np.load(data), predict(np.load(data), read_variables(variables))
    expected = {"auc": roc_auc_score(data["label"][:, 0], logits),
                "loss": log_loss(data["label"][:, 0], 1 / (1 + np.exp(-logits)))}
    for name, limit in (("auc", 1e-5), ("loss", 1e-5)):
        if not abs(found[0][name] - expected[name]) < limit:
            sys.exit(f"{name}: {found[0]}, expected {expected}")
    if len({evaluation["auc"] for evaluation in found}) != 1:
        sys.exit(f"the AUC depends on the ranks: {found}")
    print(f"{expected} on {len(found)} numbers of ranks")


def main():
    what, *paths = sys.argv[1:]
    if what == "close":
        check_close([last_evaluation(path) for path in paths])
    elif what == "near":
        check_near([last_evaluation(path) for path in paths])
    else:
        data, variables, *metrics = paths
        check_predicted(data, variables, [last_evaluation(path) for path in metrics])


if __name__ == "__main__":
    main()
