"""A model of two outputs a sample, trained by its squared errors, and what numpy makes of the same steps:

    mean_squared_error.py write FOLDER                  model.onnx and data.npz
    mean_squared_error.py check FOLDER CHECKPOINT       ends with 1 unless the variables are those of numpy within 1e-6
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402

BATCH, STEPS, RATE = 16, 12, 0.1


def problem():
    source = np.random.default_rng(5)
    x = source.standard_normal((BATCH * STEPS, 6)).astype(np.float32)
    label = (x @ source.standard_normal((6, 2)) + 0.5).astype(np.float32)
    return x, label, source.standard_normal((6, 2)).astype(np.float32), np.zeros(2, np.float32)


def write(folder):
    x, label, weight, bias = problem()
    os.makedirs(folder, exist_ok=True)
    np.savez(os.path.join(folder, "data.npz"), x=x, label=label)
    nodes = [helper.make_node("MatMul", ["x", "weight"], ["product"], name="product"),
             helper.make_node("Add", ["product", "bias"], ["y"], name="y")]
    graph = helper.make_graph(nodes, "regression", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 6])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 2])],
                              [numpy_helper.from_array(weight, "weight"), numpy_helper.from_array(bias, "bias")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, os.path.join(folder, "model.onnx"))


def trained():
    x, label, weight, bias = (values.astype(np.float64) for values in problem())
    for step in range(STEPS):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        slope = 2 * (x[rows] @ weight + bias - label[rows]) / label[rows].size
        weight, bias = weight - RATE * x[rows].T @ slope, bias - RATE * slope.sum(0)
    return {"weight": weight, "bias": bias}


def main():
    if sys.argv[1] == "write":
        return write(sys.argv[2])
    found = read_checkpoint(sys.argv[3])
    for name, expected in trained().items():
        difference = float(np.abs(found[name] - expected).max())
        print(f"{name}: largest difference {difference:.1e}")
        if not difference <= 1e-6:
            sys.exit(f"expected {expected}, found {found[name]}")


if __name__ == "__main__":
    main()
