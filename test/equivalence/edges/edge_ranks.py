"""Scores of normalized rows, some of which are zeros, against labels, none of which count in the second batch of 8:

    edge_ranks.py write FOLDER       model.onnx and data.npz
    edge_ranks.py check CHECKPOINT   ends with 1 unless the variables are those of numpy within 1e-6

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "checkpoints"))

BATCH, STEPS, RATE, IGNORED = 8, 4, 0.25, -100


def problem():
    source = np.random.default_rng(3)
    x = source.standard_normal((BATCH * STEPS, 5)).astype(np.float32)
    x[[1, 6, 12, 20, 21]] = 0
    label = source.integers(0, 3, BATCH * STEPS)
    label[BATCH:2 * BATCH] = label[[3, 30]] = IGNORED
    return x, label, source.standard_normal((5, 4)).astype(np.float32), source.standard_normal((4, 3)).astype(np.float32)


def write(folder):
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    x, label, first, second = problem()
    os.makedirs(folder, exist_ok=True)
    np.savez(os.path.join(folder, "data.npz"), x=x, label=label)
    nodes = [helper.make_node("MatMul", ["x", "first"], ["h"], name="h"),
             helper.make_node("ReduceL2", ["h"], ["norm"], name="norm", axes=[1]),
             helper.make_node("Constant", [], ["least"], name="least", value=numpy_helper.from_array(np.float32(1e-6))),
             helper.make_node("Clip", ["norm", "least"], ["size"], name="size"),
             helper.make_node("Div", ["h", "size"], ["unit"], name="unit"),
             helper.make_node("MatMul", ["unit", "second"], ["scores"], name="scores"),
             helper.make_node("SoftmaxCrossEntropyLoss", ["scores", "label"], ["loss"], name="loss", ignore_index=IGNORED)]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 5]), helper.make_tensor_value_info("label", TensorProto.INT64, ["N"])]
    graph = helper.make_graph(nodes, "rows", inputs, [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])],
                              [numpy_helper.from_array(first, "first"), numpy_helper.from_array(second, "second")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), os.path.join(folder, "model.onnx"))


def trained():
    x, label, first, second = problem()
    x, first, second = x.astype(np.float64), first.astype(np.float64), second.astype(np.float64)
    for step in range(STEPS):
        rows = np.arange(step * BATCH, (step + 1) * BATCH)
        rows = rows[label[rows] != IGNORED]
        if rows.size == 0:
            continue
        h = x[rows] @ first
        size = np.maximum(np.sqrt((h * h).sum(1, keepdims=True)), 1e-6)
        unit = h / size
        power = np.exp(unit @ second)
        scores = power / power.sum(1, keepdims=True)
        scores[np.arange(rows.size), label[rows]] -= 1
        scores /= rows.size
        flowing = scores @ second.T
        along = np.where(size > 1e-6, (flowing * unit).sum(1, keepdims=True) * unit, 0)
        first, second = first - RATE * x[rows].T @ ((flowing - along) / size), second - RATE * unit.T @ scores
    return {"first": first, "second": second}


def main():
    if sys.argv[1] == "write":
        return write(sys.argv[2])
    from checkpoint_file import read_checkpoint
    found = read_checkpoint(sys.argv[2])
    for name, expected in trained().items():
        difference = float(np.abs(found[name] - expected).max())
        print(f"{name}: largest difference {difference:.1e}")
        if not difference <= 1e-6:
            sys.exit(f"expected {expected}, found {found[name]}")


if __name__ == "__main__":
    main()
