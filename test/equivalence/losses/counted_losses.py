"""Writes a model whose loss is divided by what it counts, and data in which ranks count unequal numbers:

    counted_losses.py KIND FOLDER        model.onnx and data.npz

KIND: ignored  SoftmaxCrossEntropyLoss with ignore_index
      weights  the same with a weight for each class
      masked   the squared errors that a mask leaves, divided by how many those are
      guarded  the same, divided by one at least
      each     the same, where each error is divided before all are added up
      means    the mean over all, divided by the mean of the mask
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, mapping, numpy_helper

SAMPLES, LENGTH, FEATURES, CLASSES = 96, 5, 6, 4


def data(source):
    x = source.standard_normal((SAMPLES, LENGTH, FEATURES)).astype(np.float32)
    label = source.integers(0, CLASSES, (SAMPLES, LENGTH))
    # Every third sample keeps one label or none, so that some parts of some batches count nothing.
    mask = (source.random((SAMPLES, LENGTH)) < np.where(np.arange(SAMPLES) % 3, 0.9, 0.05)[:, None])
    target = source.standard_normal((SAMPLES, LENGTH, CLASSES)).astype(np.float32)
    return x, np.where(mask, label, -100), mask.astype(np.float32)[:, :, None], target


def cross_entropy(kind):
    names = ["turned", "label"] + (["class_weights"] if kind == "weights" else [])
    return [helper.make_node("Transpose", ["scores"], ["turned"], perm=[0, 2, 1]),
            helper.make_node("SoftmaxCrossEntropyLoss", names, ["loss"], name="loss", ignore_index=-100)]


def masked(kind):
    reduce = "ReduceMean" if kind == "means" else "ReduceSum"
    nodes = [helper.make_node("Sub", ["scores", "target"], ["error"]),
             helper.make_node("Mul", ["error", "error"], ["square"]),
             helper.make_node("Mul", ["square", "mask"], ["kept"]),
             helper.make_node(reduce, ["mask"], ["count"], keepdims=0)]
    divisor = "count"
    if kind == "guarded":
        nodes.append(helper.make_node("Max", ["count", "one"], ["guarded"]))
        divisor = "guarded"
    if kind == "each":
        return nodes + [helper.make_node("Div", ["kept", divisor], ["parts"]),
                        helper.make_node("ReduceSum", ["parts"], ["loss"], keepdims=0)]
    return nodes + [helper.make_node(reduce, ["kept"], ["sum"], keepdims=0),
                    helper.make_node("Div", ["sum", divisor], ["loss"], name="loss")]


def main():
    kind, folder = sys.argv[1:]
    source = np.random.default_rng(7)
    x, label, mask, target = data(source)
    weight = source.standard_normal((FEATURES, CLASSES)).astype(np.float32)
    constants = {"class_weights": np.array([0.5, 2, 1, 3], np.float32), "one": np.array(1, np.float32)}
    is_labels = kind in ("ignored", "weights")
    nodes = [helper.make_node("MatMul", ["x", "weight"], ["scores"], name="scores")] + (cross_entropy if is_labels else masked)(kind)
    used = {name for node in nodes for name in node.input}
    arrays = {"x": x, "label": label} if is_labels else {"x": x, "mask": mask, "target": target}
    inputs = [helper.make_tensor_value_info(name, mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], ["N", *array.shape[1:]])
              for name, array in arrays.items()]
    initializers = [numpy_helper.from_array(weight, "weight")]
    nodes = [helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array))
             for name, array in constants.items() if name in used] + nodes
    graph = helper.make_graph(nodes, kind, inputs, [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], initializers)
    os.makedirs(folder, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), os.path.join(folder, "model.onnx"))
    np.savez(os.path.join(folder, "data.npz"), **arrays)


main()
