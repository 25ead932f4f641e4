"""Evaluates small models on sets of all sizes, dealt to ranks by every policy, and compares with numpy in f64:

    evaluation_sweep.py FOLDER dist-run    ends with 1 unless each evaluation is that of one device on all samples

Nothing is trained: the learning rate is 0.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, CLASSES, TOKENS, IGNORED, BATCH = 6, 4, 3, -100, 6
SOURCE = np.random.default_rng(3)
WEIGHT = SOURCE.standard_normal((WIDTH, CLASSES)).astype(np.float32)
COLUMN = WEIGHT[:, :1].copy()
OF_CLASSES = np.array([1, 0.5, 2, 0.25], np.float32)
# Sizes around a batch of 6 and its multiples, and smaller than most numbers of ranks.
SIZES = (1, 2, 3, 5, 6, 7, 13)
EVERY = [(1, "error"), (2, "error"), (3, "error"), (2, "error shard=contiguous")] + [
    (ranks, policy) for policy in ("drop", "pad", "weighted") for ranks in (2, 3, 4, 5)] + [
        (4, "weighted shard=contiguous"), (5, "weighted shard=contiguous")]
SOME = [(1, "error"), (4, "weighted"), (5, "pad")]


def entropies(scores, label):
    return np.log(np.exp(scores).sum(-1)) - np.take_along_axis(scores, np.maximum(label, 0)[..., None], -1)[..., 0]


def classes(data):
    scores = data["x"].astype(np.float64) @ WEIGHT
    return {"loss": entropies(scores, data["label"]).mean(), "accuracy": (scores.argmax(-1) == data["label"]).mean()}


def summed(data):
    found = classes(data)
    return {**found, "loss": found["loss"] * len(data["x"])}


def clicks(data):
    scores, label = (data["x"].astype(np.float64) @ COLUMN)[:, 0], data["label"][:, 0]
    pairs = [(p > q) + 0.5 * (p == q) for p in scores[label > 0.5] for q in scores[label < 0.5]]
    losses = np.logaddexp(0, scores) - label * scores
    return {"loss": losses.mean(), "auc": np.mean(pairs)}


def tokens(data, of_classes=None):
    scores, label = data["x"].astype(np.float64) @ WEIGHT, data["label"]
    counted = label != IGNORED
    weights = (np.ones(CLASSES) if of_classes is None else of_classes)[np.maximum(label, 0)] * counted
    loss = (entropies(scores, label) * weights).sum() / weights.sum()
    right = ((scores.argmax(-1) == label) * counted).sum() / counted.sum()
    return {"loss": loss, "accuracy": right, "perplexity": np.exp(loss)}


def squares(data):
    return ((data["x"].astype(np.float64) @ WEIGHT) ** 2).sum(-1)


def roots(data):
    """The mean over whole batches: the root is of all samples of one."""
    whole = squares(data)[:len(data["x"]) // BATCH * BATCH].reshape(-1, BATCH)
    return {"loss": np.sqrt(whole.mean(-1)).mean()}


# How the squares of a sample become the loss of a batch, operator by operator, and what that is of all samples.
OF_SQUARES = {
    "means": (["ReduceMean"], lambda data: {"loss": squares(data).mean()}),
    "sums": (["ReduceSum"], lambda data: {"loss": squares(data).sum()}),
    "largest": (["ReduceMax"], lambda data: {"loss": squares(data).max()}),
    "smallest": (["ReduceMin"], lambda data: {"loss": squares(data).min()}),
    "roots": (["ReduceMean", "Sqrt"], roots),
}


def samples(kind, size):
    """The first sample has both classes, and each its first label."""
    source = np.random.default_rng(size)
    shape = (size, TOKENS) if kind in ("tokens", "weights") else (size,)
    x = source.standard_normal((*shape, WIDTH)).astype(np.float32)
    label = source.integers(0, CLASSES, shape)
    if kind in ("tokens", "weights"):
        label[:, 1:][source.random((size, TOKENS - 1)) < 0.5] = IGNORED
        label[size // 2] = IGNORED if size > 1 else label[0]
    if kind in OF_SQUARES:
        return {"x": x}
    if kind == "clicks":
        label = (np.arange(size)[:, None] % 3 == 0).astype(np.float32)
    return {"x": x, "label": label}


def save(path, kind):
    weight = COLUMN if kind == "clicks" else WEIGHT
    initializers = [numpy_helper.from_array(weight, "weight")]
    nodes = [helper.make_node("MatMul", ["x", "weight"], ["scores"], name="scores")]
    of_tokens = kind in ("tokens", "weights")
    shape = ["N", TOKENS] if of_tokens else ["N"]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [*shape, WIDTH])]
    outputs = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["N", weight.shape[1]])]
    if kind in OF_SQUARES:
        nodes.append(helper.make_node("ReduceSumSquare", ["scores"], ["squares"], name="squares", axes=[1], keepdims=0))
        names = ["squares", *OF_SQUARES[kind][0][:-1], "loss"]
        for place, operator in enumerate(OF_SQUARES[kind][0]):
            given = {"keepdims": 0} if operator.startswith("Reduce") else {}
            nodes.append(helper.make_node(operator, [names[place]], [names[place + 1]], name=operator, **given))
        outputs = [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])]
    elif kind not in ("classes", "clicks"):
        operands = ["turned" if of_tokens else "scores", "label"]
        if of_tokens:
            nodes.append(helper.make_node("Transpose", ["scores"], ["turned"], name="turned", perm=[0, 2, 1]))
        if kind == "weights":
            nodes.append(helper.make_node("Constant", [], ["of_classes"], value=numpy_helper.from_array(OF_CLASSES)))
            operands.append("of_classes")
        given = {"ignore_index": IGNORED} if of_tokens else {"reduction": "sum"}
        nodes.append(helper.make_node("SoftmaxCrossEntropyLoss", operands, ["loss"], name="loss", **given))
        inputs.append(helper.make_tensor_value_info("label", TensorProto.INT64, shape))
        outputs = [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])]
    graph = helper.make_graph(nodes, kind, inputs, outputs, initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


# By kind: what numpy finds, the loss of the recipe, and the ranks and policies that are tried.
KINDS = {
    "classes": (classes, "softmax-cross-entropy", EVERY),
    "clicks": (clicks, "bce-with-logits", SOME),
    "tokens": (tokens, "output", SOME),
    "weights": (lambda data: tokens(data, OF_CLASSES), "output", SOME),
    "summed": (summed, "output", SOME),
    **{kind: (expect, "output", SOME) for kind, (_, expect) in OF_SQUARES.items()},
}


def evaluate(command, folder, kind, size, ranks, policy):
    path = os.path.join(folder, kind)
    metrics = os.path.join(folder, "metrics.jsonl")
    run = subprocess.run([*command, "-n", str(ranks), path + ".onnx", "--dataset", path + ".npz", "--steps", "1", "--evaluate",
                          f"{path}-{size}.npz", "--evaluate-every", "1", "--metrics", metrics, "--train",
                          f"loss={KINDS[kind][1]} optimizer=sgd learning-rate=0 global-batch={BATCH}",
                          *([f"--distribute=batch-policy={policy}"] if policy else [])], capture_output=True, text=True, check=False)
    taken = size // BATCH * BATCH if kind == "roots" else size
    told = taken == size or f"--evaluate leaves out {size - taken} of {size} samples" in run.stderr
    if run.returncode != 0 or f"({taken} samples)" not in run.stdout or not told:
        sys.exit(f"{kind} of {size} on {ranks} ranks, {policy}:\n{run.stdout}{run.stderr}")
    with open(metrics, encoding="utf-8") as file:
        return json.loads(file.readlines()[-1])["evaluation"]


def main():
    folder, *command = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    count = 0
    for kind, (expect, _, ways) in KINDS.items():
        save(os.path.join(folder, kind + ".onnx"), kind)
        np.savez(os.path.join(folder, kind + ".npz"), **samples(kind, BATCH))
        for size in SIZES:
            if kind == "clicks" and size < 2 or kind == "roots" and size < BATCH:
                continue  # of one class; of no batch
            data = samples(kind, size)
            np.savez(os.path.join(folder, f"{kind}-{size}.npz"), **data)
            wanted = expect(data)
            for ranks, policy in ways:
                found = evaluate(command, folder, kind, size, ranks, policy)
                count += 1
                if list(found) != list(wanted) or any(abs(found[m] - v) > 1e-5 * max(1, abs(v)) for m, v in wanted.items()):
                    sys.exit(f"{kind} of {size} on {ranks} ranks, {policy}: {found}, expected {wanted}")
    print(f"{count} evaluations are those of one device")


if __name__ == "__main__":
    main()
