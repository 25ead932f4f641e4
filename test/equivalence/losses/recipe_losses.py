"""Losses that a recipe adds, against steps whose gradients numpy makes of differences, in f64, on one rank and on several:

    recipe_losses.py DIST_RUN FOLDER        ends with 1 unless the variables are those of numpy

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, parser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402

BATCH, STEPS, RATE = 12, 3, 0.25
ROWS = BATCH * STEPS


def log_softmax(y, axis):
    shifted = y - y.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def weighted_entropy(y, label, weights, ignored):
    """Of rows of scores."""
    counts = np.where(label == ignored, 0, weights[np.where(label == ignored, 0, label)])
    chosen = np.take_along_axis(log_softmax(y, 1), np.where(label == ignored, 0, label)[:, None], 1)[:, 0]
    return -(counts * chosen).sum() / counts.sum()


def smoothed(y, label, share):
    log = log_softmax(y, -1)
    chosen = np.take_along_axis(log, label[..., None], -1)[..., 0]
    return -((1 - share) * chosen + share * log.mean(-1)).mean()


def distance(a, b):
    return np.sqrt(((a - b + 1e-6)**2).sum(-1))


def cosine(a, b):
    return (a * b).sum(-1) / np.sqrt(((a * a).sum(-1) + 1e-12) * ((b * b).sum(-1) + 1e-12))


def huber(d, delta):
    d = np.abs(d)
    return np.where(d < delta, d * d / 2, delta * (d - delta / 2)).mean()


SOURCE = np.random.default_rng(3)
NEAR = SOURCE.standard_normal((ROWS, 3)).astype(np.float32)
CHANCES = SOURCE.dirichlet(np.ones(3), ROWS).astype(np.float32)
CHANCES[::5] = [0, 0.25, 0.75]
SIGNS = np.sign(NEAR).astype(np.float32)
CLASSES = SOURCE.integers(0, 3, ROWS)
TOKENS = SOURCE.integers(0, 3, (ROWS, 4))
SOME = np.where(SOURCE.random((ROWS, 4)) < 0.3, -100, TOKENS)
PLAIN, LOGARITHMS = "y = MatMul(x, w)", "z = MatMul(x, w)  y = LogSoftmax(z)"

# Keys; the graph; the other inputs; what the loss is, of the outputs in f64 and of these inputs.
CASES = {
    "loss=huber delta=0.5": (PLAIN, {"label": NEAR}, lambda y, label: huber(y - label, 0.5)),
    "loss=kl-div": (LOGARITHMS, {"label": CHANCES}, lambda y, label: (np.where(label > 0, label * np.log(np.where(label > 0, label, 1)), 0) - label * y).sum() / len(y)),
    "loss=hinge margin=0.75": (PLAIN, {"label": SIGNS}, lambda y, label: np.maximum(0, 0.75 - label * y).mean()),
    "loss=cosine": (PLAIN, {"label": NEAR}, lambda y, label: (1 - cosine(y, label)).mean()),
    "loss=triplet-margin margin=2": ("y = MatMul(x, w)  p = MatMul(near, w)  n = MatMul(far, w)",
                                     {"near": SOURCE.standard_normal((ROWS, 5)).astype(np.float32), "far": SOURCE.standard_normal((ROWS, 5)).astype(np.float32)},
                                     lambda y, p, n: np.maximum(0, 2 + distance(y, p) - distance(y, n)).mean()),
    "class-weights=0.5,1,2": (PLAIN, {"label": CLASSES}, lambda y, label: weighted_entropy(y, label, np.array([0.5, 1, 2]), None)),
    "class-axis=last": (PLAIN, {"label": TOKENS}, lambda y, label: weighted_entropy(y.reshape(-1, 3), label.ravel(), np.ones(3), None)),
    "class-axis=last ignore-index=-100 class-weights=2,1,0.25":
        (PLAIN, {"label": SOME}, lambda y, label: weighted_entropy(y.reshape(-1, 3), label.ravel(), np.array([2, 1, 0.25]), -100)),
    "class-axis=last label-smoothing=0.1": (PLAIN, {"label": TOKENS}, lambda y, label: smoothed(y, label, 0.1)),
    "loss=nll class-axis=last": (LOGARITHMS, {"label": TOKENS}, lambda y, label: -np.take_along_axis(y, label[..., None], -1).mean()),
}


def outputs(text, values):
    """The graph, one node after the other."""
    values = dict(values)
    for node in parser.parse_graph("g () => () {" + text + "}").node:
        a = [values[name] for name in node.input]
        values[node.output[0]] = a[0] @ a[1] if node.op_type == "MatMul" else log_softmax(a[0], -1)
    return [values[name] for name in "ypn" if name in values]


def trained(text, others, loss, x, w):
    w = w.astype(np.float64)
    for step in range(STEPS):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        labels = [value[rows] for name, value in others.items() if name == "label"]
        inputs = {name: value[rows].astype(np.float64) for name, value in {"x": x, **others}.items()}

        def at(changed):
            return loss(*outputs(text, {**inputs, "w": changed}), *labels)
        slope = np.zeros_like(w)
        for place in np.ndindex(*w.shape):
            h = np.zeros_like(w)
            h[place] = 1e-6
            slope[place] = (at(w + h) - at(w - h)) / 2e-6
        w = w - RATE * slope
    return w


def write(folder, text, others, x, w):
    np.savez(folder / "data.npz", x=x, **others)
    nodes = list(parser.parse_graph("g () => () {" + text + "}").node)
    names = [name for name in "ypn" if any(name in node.output for node in nodes)]
    shape = ["N", *x.shape[1:-1], 3]
    inputs = {"x": x, **{name: value for name, value in others.items() if name != "label"}}
    graph = helper.make_graph(nodes, "scores", [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *value.shape[1:]]) for name, value in inputs.items()],
                              [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in names], [numpy_helper.from_array(w, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "model.onnx")


def main():
    dist_run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for keys, (text, others, loss) in CASES.items():
        has_tokens = others.get("label", NEAR[:, 0]).ndim == 2 and "last" in keys
        x = SOURCE.standard_normal((ROWS, 4, 5) if has_tokens else (ROWS, 5)).astype(np.float32)
        w = SOURCE.standard_normal((5, 3)).astype(np.float32)
        write(folder, text, others, x, w)
        expected = trained(text, others, loss, x, w)
        for ranks in "14":
            command = [dist_run, "-n", ranks, folder / "model.onnx", "--dataset", folder / "data.npz", "--shuffle=false", "--steps", str(STEPS), "--save",
                       folder / "out.safetensors", "--evaluate", folder / "data.npz", f"--train={keys} optimizer=sgd learning-rate={RATE} global-batch={BATCH}"]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode or "evaluation" not in run.stdout + run.stderr:
                failed = True
                print(f"{keys} on {ranks}: {run.stdout}{run.stderr}")
                continue
            difference = float(np.abs(read_checkpoint(str(folder / "out.safetensors"))["w"] - expected).max())
            failed |= not difference <= 5e-6
            print(f"{keys} on {ranks}: {'equal' if difference <= 5e-6 else difference}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
