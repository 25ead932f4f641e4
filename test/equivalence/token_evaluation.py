"""A model with several labels a sample, and what numpy makes of its evaluation:

    token_evaluation.py write FOLDER                                  model.onnx, weighted.onnx and data.npz
    token_evaluation.py check FOLDER CHECKPOINT REPORT [--weighted]   ends with 1 unless the report says what numpy finds
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import re
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402

SAMPLES, TOKENS, WIDTH, CLASSES, IGNORED = 22, 5, 6, 4, -100  # 22: no multiple of the batch
OF_CLASSES = np.array([1, 0.5, 2, 0.25], np.float32)


def problem():
    source = np.random.default_rng(11)
    x = source.standard_normal((SAMPLES, TOKENS, WIDTH)).astype(np.float32)
    label = (x @ source.standard_normal((WIDTH, CLASSES))).argmax(-1)
    lengths = source.integers(1, TOKENS + 1, SAMPLES)
    lengths[3] = 0  # a sample that does not count at all
    label[np.arange(TOKENS) >= lengths[:, None]] = IGNORED
    return x, label, source.standard_normal((WIDTH, CLASSES)).astype(np.float32)


def save(path, weight, weighted):
    initializers = [numpy_helper.from_array(weight, "weight"),
                    numpy_helper.from_array(np.array([-1, CLASSES]), "rows"), numpy_helper.from_array(np.array([-1]), "row")]
    operands = ["scores", "labels"]
    nodes = [helper.make_node("MatMul", ["x", "weight"], ["product"], name="product"),
             helper.make_node("Reshape", ["product", "rows"], ["scores"], name="scores"),
             helper.make_node("Reshape", ["label", "row"], ["labels"], name="labels")]
    if weighted:
        nodes.append(helper.make_node("Constant", [], ["of_classes"], value=numpy_helper.from_array(OF_CLASSES)))
        operands.append("of_classes")
    nodes.append(helper.make_node("SoftmaxCrossEntropyLoss", operands, ["loss"], name="loss", ignore_index=IGNORED))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", TOKENS, WIDTH]),
              helper.make_tensor_value_info("label", TensorProto.INT64, ["N", TOKENS])]
    graph = helper.make_graph(nodes, "tokens", inputs, [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])],
                              initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def write(folder):
    x, label, weight = problem()
    os.makedirs(folder, exist_ok=True)
    np.savez(os.path.join(folder, "data.npz"), x=x, label=label)
    save(os.path.join(folder, "model.onnx"), weight, False)
    save(os.path.join(folder, "weighted.onnx"), weight, True)


def expected(weight, weighted):
    x, label, _ = problem()
    scores = x.astype(np.float64) @ weight.astype(np.float64)
    counted = label != IGNORED
    scores, label = scores[counted], label[counted]
    losses = np.log(np.exp(scores).sum(-1)) - scores[np.arange(len(label)), label]
    weights = OF_CLASSES[label] if weighted else np.ones(len(label))
    loss = (losses * weights).sum() / weights.sum()
    return {"loss": loss, "accuracy": (scores.argmax(-1) == label).mean(), "perplexity": np.exp(loss)}


def main():
    if sys.argv[1] == "write":
        return write(sys.argv[2])
    with open(sys.argv[4], encoding="utf-8") as report:
        line = re.search(r"evaluation: (.*) \((\d+) samples\)", report.read())
    words = line.group(1).split()
    found = dict(zip(words[::2], map(float, words[1::2])))
    wanted = expected(read_checkpoint(sys.argv[3])["weight"], "--weighted" in sys.argv)
    if int(line.group(2)) != SAMPLES or list(found) != list(wanted):
        sys.exit(f"found {line.group(0)}, expected {wanted} of {SAMPLES} samples")
    for name, value in wanted.items():
        if not abs(found[name] - value) <= 6e-5:  # four digits are printed
            sys.exit(f"{name}: found {found[name]}, expected {value}")


if __name__ == "__main__":
    main()
