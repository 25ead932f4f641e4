"""A linear model trained by recipes, and what numpy makes of the same steps in f64:

    recipes.py write FOLDER                models and data
    recipes.py check CASE CHECKPOINT...    ends with 1 unless the variables are those of numpy within 2e-6
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402

BATCH, STEPS, WIDTH, UNITS = 16, 12, 6, 3


def problem():
    source = np.random.default_rng(7)
    x = source.standard_normal((BATCH * STEPS, WIDTH)).astype(np.float32)
    values = (x @ source.standard_normal((WIDTH, UNITS)) + 0.5).astype(np.float32)
    return x, values, source.standard_normal((WIDTH, UNITS)).astype(np.float32), np.full(UNITS, 0.1, np.float32)


def labels(case):
    values = problem()[1]
    if case in ("smoothing", "nll"):
        return values.argmax(-1)
    return (values > 0).astype(np.float32) if case == "bce" else values


def initial(case):
    weight, bias = problem()[2:]
    return (np.zeros_like(weight) if case == "lamb-zero" else weight), bias


def save(path, case):
    weight, bias = initial(case)
    nodes = [helper.make_node("MatMul", ["x", "weight"], ["product"], name="product"),
             helper.make_node("Add", ["product", "bias"], ["scores"], name="scores")]
    if case == "nll":
        nodes.append(helper.make_node("LogSoftmax", ["scores"], ["logarithms"], name="logarithms", axis=1))
    graph = helper.make_graph(nodes, "linear", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", WIDTH])],
                              [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, ["N", UNITS])],
                              [numpy_helper.from_array(weight, "weight"), numpy_helper.from_array(bias, "bias")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def write(folder):
    x, values = problem()[:2]
    os.makedirs(folder, exist_ok=True)
    for model, case in (("model", "l1"), ("truths", "bce"), ("classes", "smoothing"), ("likelihoods", "nll"),
                        ("zeros", "lamb-zero")):
        save(os.path.join(folder, model + ".onnx"), case)
        np.savez(os.path.join(folder, model + ".npz"), x=x, label=labels(case))
    np.savez(os.path.join(folder, "same.npz"), x=x[:BATCH], label=values[:BATCH])
    np.savez(os.path.join(folder, "negative.npz"), x=x[:BATCH], label=np.array([0] * (BATCH - 1) + [-1]))


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def slope(case, scores, label):
    """Of the loss, by the scores."""
    if case == "l1":
        return np.sign(scores - label) / label.size
    if case == "bce":
        return (1 / (1 + np.exp(-scores)) - label) / label.size
    if case in ("smoothing", "nll"):
        share = 0.1 if case == "smoothing" else 0
        return (softmax(scores) - (1 - share) * np.eye(UNITS)[label] - share / UNITS) / len(label)
    return 2 * (scores - label) / label.size


def rate(case, step):
    if case == "bce":
        return 0.5 * (step / 3 if step < 3 else max(0.0, (10 - step) / (10 - 3)))
    if case.startswith("lamb"):
        return 0.05 * (step / 2 if step < 2 else 0.5 * (1 + np.cos(np.pi * (step - 2) / (12 - 2))))
    if case == "adamw":
        return 0.05 * 0.5 ** (step // 4)
    if case == "nll":
        return 1 if step < 4 else 0.5 if step < 9 else 0.25
    return {"l1": 0.1, "smoothing": 0.5, "rmsprop": 0.01, "rmsprop-momentum": 0.01, "nadam": 0.02, "lion": 0.005}[case]


class Variable:
    def __init__(self, value, decays):
        self.value, self.decays = value.astype(np.float64), decays
        self.first = self.second = 0

    def adam(self, gradient, t, epsilon):
        self.first = 0.9 * self.first + 0.1 * gradient
        self.second = 0.999 * self.second + 0.001 * gradient ** 2
        return self.first / (1 - 0.9 ** t) / (np.sqrt(self.second / (1 - 0.999 ** t)) + epsilon)

    def nadam(self, gradient, t):
        momenta = [0.9 * (1 - 0.5 * 0.96 ** (0.1 * i)) for i in range(1, t + 2)]
        self.first = 0.9 * self.first + 0.1 * gradient
        self.second = 0.999 * self.second + 0.001 * gradient ** 2
        mean = (1 - momenta[-2]) / (1 - np.prod(momenta[:-1])) * gradient + momenta[-1] / (1 - np.prod(momenta)) * self.first
        return mean / (np.sqrt(self.second / (1 - 0.999 ** t)) + 1e-8)

    def rmsprop(self, gradient, momentum):
        gradient = gradient + 0.1 * self.value
        self.second = 0.9 * self.second + 0.1 * gradient ** 2
        self.first = momentum * self.first + gradient / (np.sqrt(self.second) + 1e-8)
        return self.first

    def lion(self, gradient):
        move = np.sign(0.9 * self.first + 0.1 * gradient)
        self.first = 0.99 * self.first + 0.01 * gradient
        return move + 0.1 * self.value

    def move(self, case, gradient, own, t):
        if case.startswith("lamb"):
            move = self.adam(gradient, t, 1e-6)
            if self.decays:
                move = move + 0.01 * self.value
                ratio = np.linalg.norm(self.value) / np.linalg.norm(move)
                move = move * (ratio or 1)
        elif case == "adamw":
            if self.decays:
                own, self.value = own * 0.5, self.value * (1 - own * 0.5 * 0.1)
            move = self.adam(gradient, t, 1e-8)
        elif case == "nadam":
            move = self.nadam(gradient, t)
        elif case.startswith("rmsprop"):
            move = self.rmsprop(gradient, 0.9 if case == "rmsprop-momentum" else 0)
        elif case == "lion":
            move = self.lion(gradient)
        else:
            move = gradient
        self.value = self.value - own * move


def trained(case):
    x, label = problem()[0].astype(np.float64), labels(case)
    weight, bias = initial(case)
    weight, bias = Variable(weight, True), Variable(bias, False)
    for step in range(STEPS):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        gradient = slope(case, x[rows] @ weight.value + bias.value, label[rows])
        weight.move(case, x[rows].T @ gradient, rate(case, step), step + 1)
        bias.move(case, gradient.sum(0), rate(case, step), step + 1)
    return {"weight": weight.value, "bias": bias.value}


def main():
    if sys.argv[1] == "write":
        return write(sys.argv[2])
    expected = trained(sys.argv[2])
    for path in sys.argv[3:]:
        found = read_checkpoint(path)
        for name, value in expected.items():
            difference = float(np.abs(found[name] - value).max())
            print(f"{os.path.basename(path)} {name}: largest difference {difference:.1e}")
            if not difference <= 2e-6:
                sys.exit(f"expected {value}, found {found[name]}")


if __name__ == "__main__":
    main()
