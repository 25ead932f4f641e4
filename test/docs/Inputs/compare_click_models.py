"""compare_click_models.py EXAMPLES FOLDER MODEL: the model that PyTorch exported has the variables of the one that click_models.py
wrote, and training it by PyTorch gives the losses of each step, and the AUC after them, that the run has told.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import sys

import numpy as np
import onnx
import torch
from onnx import numpy_helper

BATCH, STEPS, LEARNING_RATE = 100, 20, 0.05


def parameters_of(path):
    return {t.name: numpy_helper.to_array(t) for t in onnx.load(str(path)).graph.initializer if t.data_type == onnx.TensorProto.FLOAT}


def train(model, inputs, label):
    """The loss of each step."""
    optimizer, loss_function = torch.optim.Adagrad(model.parameters(), lr=LEARNING_RATE), torch.nn.BCEWithLogitsLoss()
    losses = []
    for first in range(0, BATCH * STEPS, BATCH):
        part = slice(first, first + BATCH)
        optimizer.zero_grad()
        loss = loss_function(model(*[x[part] for x in inputs]), label[part])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    examples, folder, kind = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    sys.path.insert(0, examples)
    import click_data
    import torch_models
    features = json.loads((folder / "features.json").read_text())
    exported, written = parameters_of(folder / f"torch_{kind}.onnx"), parameters_of(folder / f"{kind}.onnx")
    shapes = [{name: value.shape for name, value in parameters.items()} for parameters in (exported, written)]
    if shapes[0] != shapes[1]:
        sys.exit(f"the variables differ: {shapes}")
    model = {"dlrm": torch_models.DLRM, "wide_and_deep": torch_models.WideAndDeep}[kind](features)
    model.load_state_dict({name: torch.tensor(value) for name, value in exported.items()})
    names = [table["name"] for table in features["tables"]] + ["dense"]
    data, test = np.load(folder / "train.npz"), np.load(folder / "test.npz")
    losses = train(model, [torch.tensor(data[name]) for name in names], torch.tensor(data["label"]))
    lines = [json.loads(line) for line in (folder / f"{kind}.jsonl").read_text().splitlines()]
    np.testing.assert_allclose([line["loss"] for line in lines if "loss" in line], losses, rtol=1e-4)
    with torch.no_grad():
        score = model(*[torch.tensor(test[name]) for name in names]).numpy()[:, 0]
    area = click_data.area_under_curve(score, test["label"][:, 0].astype(np.float64))
    np.testing.assert_allclose([line["evaluation"]["auc"] for line in lines if "evaluation" in line], [area], atol=1e-3)
    print(f"{kind}: {STEPS} steps as in PyTorch, AUC {area:.4f}")


if __name__ == "__main__":
    main()
