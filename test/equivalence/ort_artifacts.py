"""The training artifacts of ONNX Runtime in test/models/ort_training_api, and their published losses:

    ort_artifacts.py data FOLDER DATA.npz                  the batch of the published run
    ort_artifacts.py optimizer FILE OP [KEY=VALUE ...]     an optimizer model: AdamWOptimizer or SGDOptimizerV2; max_norm= clips
    ort_artifacts.py losses FOLDER METRICS.jsonl LIMIT     ends with 1 unless the losses are the published ones
    ort_artifacts.py oracle FOLDER METRICS.jsonl LIMIT OP [KEY=VALUE ...]      ... those of ONNX Runtime's formulas, in f64
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import re
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

RATE = 1e-3  # where nobody says another


def batch(folder):
    with open(os.path.join(folder, "input-0.in"), encoding="ascii") as file:
        numbers = re.findall(r"[-+0-9.e]+", file.read().split("\n", 1)[1])
    return np.array(numbers, np.float32).reshape(2, 784), np.array([1, 1], np.int32)


def parameters(folder):
    """Each parameter by name, from the end of the checkpoint's tables: data, then name and sizes as its reader finds them."""
    with open(os.path.join(folder, "checkpoint.ckpt"), "rb") as file:
        content = file.read()

    def number(kind, at):
        return struct.unpack_from("<" + kind, content, at)[0]

    def field(table, which):
        layout = table - number("i", table)
        return table + number("H", layout + 4 + 2 * which)

    def vector(at):
        start = at + number("I", at)
        return start + 4, number("I", start)

    def follow(at):
        return at + number("I", at)

    result = {}
    start, count = vector(field(follow(field(follow(0), 1)), 0))
    for index in range(count):
        tensor = follow(start + 4 * index)
        at, size = vector(field(tensor, 0))
        name = content[at:at + size].decode()
        at, rank = vector(field(tensor, 2))
        shape = [number("q", at + 8 * axis) for axis in range(rank)]
        at, size = vector(field(tensor, 4))
        result[name] = np.frombuffer(content[at:at + size], np.float32).astype(np.float64).reshape(shape)
    return result


def settings(words):
    pairs = (word.split("=") for word in words)
    return {key: int(value) if key in ("adam_mode", "correct_bias") else float(value) for key, value in pairs}


def write_optimizer(path, operator, words):
    given = settings(words)
    inputs = [helper.make_tensor_value_info("learning_rate", TensorProto.FLOAT, [1])]
    names = ["params", "gradients"]
    if operator == "AdamWOptimizer":
        inputs.append(helper.make_tensor_value_info("step", TensorProto.INT64, [1]))
        names += ["first_order_moments", "second_order_moments"]
    inputs += [helper.make_tensor_sequence_value_info(name, TensorProto.FLOAT, None) for name in names]
    operands, nodes = [value.name for value in inputs], []
    if "max_norm" in given:
        nodes.append(helper.make_node("InplaceClipGradNorm", ["gradients"], ["clipped"], name="clip", domain="com.microsoft",
                                      max_norm=given.pop("max_norm"), norm_type="fro"))
        operands[operands.index("gradients")] = "clipped"
    nodes.append(helper.make_node(operator, operands, ["updated"], name="optimizer", domain="com.microsoft", **given))
    graph = helper.make_graph(nodes, "optimizer", inputs, [helper.make_tensor_value_info("updated", TensorProto.BOOL, [1])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("com.microsoft", 1)], ir_version=8), path)


def gradients(weights, x, labels):
    """The loss and its slopes."""
    hidden = np.maximum(x @ weights["fc1.weight"].T + weights["fc1.bias"], 0)
    scores = hidden @ weights["fc2.weight"].T + weights["fc2.bias"]
    scores -= scores.max(1, keepdims=True)
    log_prob = scores - np.log(np.exp(scores).sum(1, keepdims=True))
    rows = np.arange(len(labels))
    slope = np.exp(log_prob)
    slope[rows, labels] -= 1
    slope /= len(labels)
    after = (slope @ weights["fc2.weight"]) * (hidden > 0)
    return -log_prob[rows, labels].mean(), {"fc2.weight": slope.T @ hidden, "fc2.bias": slope.sum(0),
                                            "fc1.weight": after.T @ x, "fc1.bias": after.sum(0)}


def adamw(weight, gradient, first, second, step, given):
    alpha, beta, epsilon = given.get("alpha", 0.9), given.get("beta", 0.999), given.get("epsilon", 1e-8)
    decay = 1 - RATE * given.get("weight_decay", 1e-2)
    first[...] = alpha * first + (1 - alpha) * gradient
    second[...] = beta * second + (1 - beta) * gradient * gradient
    a, b = (1 - alpha**step, 1 - beta**step) if given.get("correct_bias", 1) else (1, 1)
    if given.get("adam_mode", 0) == 0:
        return weight * decay - RATE * first / (a * (np.sqrt(second / b) + epsilon))
    return (weight - RATE * np.sqrt(b) / a * first / (np.sqrt(second) + epsilon)) * decay


def oracle(folder, operator, words, steps):
    """The losses of some steps, as the kernels of ONNX Runtime update parameters."""
    given, weights = settings(words), parameters(folder)
    x, labels = batch(folder)
    moments = {name: (np.zeros_like(weight), np.zeros_like(weight)) for name, weight in weights.items()}
    losses = []
    for step in range(1, steps + 1):
        loss, slopes = gradients(weights, x.astype(np.float64), labels)
        losses.append(loss)
        norm = np.sqrt(sum((slope**2).sum() for slope in slopes.values()))
        factor = min(1, given["max_norm"] / (norm + 1e-6)) if "max_norm" in given else 1
        for name, weight in weights.items():
            slope = slopes[name] * factor
            weights[name] = (weight - RATE * slope if operator == "SGDOptimizerV2"
                             else adamw(weight, slope, *moments[name], step, given))
    return losses


def published(folder):
    losses = []
    for name in ("loss_1.out", "loss_2.out"):
        with open(os.path.join(folder, name), encoding="ascii") as file:
            losses.append(float(file.read().split()[1]))
    return losses


def compare(expected, metrics, limit):
    with open(metrics, encoding="utf-8") as file:
        steps = [json.loads(line) for line in file]
    found = [step.get("onnx::loss::21273", step.get("loss")) for step in steps]  # a recipe calls its loss so
    if len(found) < len(expected):
        return f"wanted {len(expected)} losses, got {found}"
    worst = max(abs(a - b) / abs(a) for a, b in zip(expected, found))
    print(f"expected {expected}, found {found[:len(expected)]}: largest relative difference {worst:.2e}")
    return 0 if worst <= limit else 1


def main():
    command, *rest = sys.argv[1:]
    if command == "data":
        x, labels = batch(rest[0])
        np.savez(rest[1], **{"input-0": x, "labels": labels})
        return 0
    if command == "optimizer":
        return write_optimizer(rest[0], rest[1], rest[2:])
    folder, metrics, limit = rest[0], rest[1], float(rest[2])
    if command == "losses":
        return compare(published(folder), metrics, limit)
    with open(metrics, encoding="utf-8") as file:
        steps = len(file.readlines())
    return compare(oracle(folder, rest[3], rest[4:], steps), metrics, limit)


if __name__ == "__main__":
    sys.exit(main())
