#!/usr/bin/env python3
"""DLRM and Wide & Deep in plain PyTorch, and their export: one input a table, `dense`, and a logit a sample.

    torch_models.py FEATURES.json dlrm|wide_and_deep MODEL.onnx

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys

import torch
from torch import nn


def layers(*sizes):
    """Linear layers with ReLU between them."""
    made = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        made += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*made[:-1])


def embedding(rows, width, deviation):
    table = nn.Embedding(rows, width)
    nn.init.normal_(table.weight, 0, deviation)
    return table


def look_up(table, ids):
    """One vector a sample: the row of its id, or the mean of those of several."""
    rows = table(ids)
    return rows if rows.dim() == 2 else rows.mean(1)


class DLRM(nn.Module):
    """Naumov et al. 2019: products of all pairs of vectors, between two networks."""

    def __init__(self, features, width=8):
        super().__init__()
        self.tables = nn.ModuleDict({t["name"]: embedding(t["rows"], width, 0.1) for t in features["tables"]})
        self.bottom = layers(features["dense"], 32, width)
        vectors = len(self.tables) + 1
        self.top = layers(width + vectors * (vectors - 1) // 2, 64, 32, 1)
        rows, columns = torch.tril_indices(vectors, vectors, -1)
        self.pairs = (rows * vectors + columns).tolist()

    def forward(self, *inputs):
        ids, dense = inputs[:-1], torch.relu(self.bottom(inputs[-1]))
        vectors = torch.stack([dense] + [look_up(table, i) for table, i in zip(self.tables.values(), ids)], 1)
        products = torch.bmm(vectors, vectors.transpose(1, 2)).flatten(1)
        return self.top(torch.cat([dense, products[:, self.pairs]], 1))


class WideAndDeep(nn.Module):
    """Cheng et al. 2016: a linear model of all features, and a network on embeddings."""

    def __init__(self, features, width=8):
        super().__init__()
        tables = features["tables"]
        self.wide = nn.ModuleDict({t["name"]: embedding(t["rows"], 1, 0.01) for t in tables})
        self.wide_dense = nn.Linear(features["dense"], 1)
        self.tables = nn.ModuleDict({t["name"]: embedding(t["rows"], width, 0.1) for t in tables})
        self.deep = layers(len(tables) * width + features["dense"], 64, 32, 1)

    def forward(self, *inputs):
        ids, dense = inputs[:-1], inputs[-1]
        wide = sum(look_up(table, i) for table, i in zip(self.wide.values(), ids)) + self.wide_dense(dense)
        deep = [look_up(table, i) for table, i in zip(self.tables.values(), ids)]
        return wide + self.deep(torch.cat(deep + [dense], 1))


def export(model, features, path):
    names = [t["name"] for t in features["tables"]] + ["dense"]
    example = [torch.zeros((2,) if t["hot"] == 1 else (2, t["hot"]), dtype=torch.int64) for t in features["tables"]]
    torch.onnx.export(model, (*example, torch.zeros(2, features["dense"])), path, input_names=names, output_names=["logit"],
                      dynamic_axes={name: {0: "batch"} for name in names + ["logit"]},
                      training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False, opset_version=17,
                      **({"dynamo": False} if torch.__version__ >= "2.5" else {}))


def main():
    path, kind, target = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        features = json.load(file)
    torch.manual_seed(1)
    export({"dlrm": DLRM, "wide_and_deep": WideAndDeep}[kind](features), features, target)


if __name__ == "__main__":
    main()
