"""Writes a model whose loss and variables stop being finite at a step that its data choose:

    non_finite.py FOLDER    model.onnx and, of batches of 4, good.npz, nan.npz (a sample of step 7 is no number), infinite.npz (the loss of step 7
                            is, and its gradient is not), mask.onnx (the same with a constant variable that is infinite)

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

STEPS, BATCH = 12, 4


def model(path, more=()):
    """loss = mean(x * weight + extra * extra)"""
    nodes = [helper.make_node("MatMul", ["x", "weight"], ["y"], name="y"),
             helper.make_node("Mul", ["extra", "extra"], ["square"], name="square"),
             helper.make_node("Add", ["y", "square"], ["each"], name="each"), *more,
             helper.make_node("ReduceMean", ["masked" if more else "each"], ["loss"], name="loss", keepdims=0)]
    initial = [numpy_helper.from_array(np.ones((3, 2), np.float32), "weight")]
    if more:
        initial.append(numpy_helper.from_array(np.array([np.inf, np.inf], np.float32), "mask"))
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size]) for name, size in (("x", 3), ("extra", 1))]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], initial)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    x = np.random.default_rng(1).standard_normal((STEPS * BATCH, 3)).astype(np.float32)
    extra = np.zeros((STEPS * BATCH, 1), np.float32)
    np.savez(os.path.join(folder, "good.npz"), x=x, extra=extra)
    extra[6 * BATCH + 1] = 1e30
    np.savez(os.path.join(folder, "infinite.npz"), x=x, extra=extra)
    extra[:] = 0
    x[6 * BATCH + 1, 0] = np.nan
    np.savez(os.path.join(folder, "nan.npz"), x=x, extra=extra)
    model(os.path.join(folder, "model.onnx"))
    model(os.path.join(folder, "mask.onnx"), [helper.make_node("Min", ["each", "mask"], ["masked"], name="masked")])


if __name__ == "__main__":
    main(sys.argv[1])
