#!/usr/bin/python3
"""Writes a model again, with weights of the classes of its cross entropy: weigh_classes.py MODEL.onnx OUT.onnx CLASSES."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

import numpy as np
import onnx
from onnx import numpy_helper


def main(source, target, classes):
    model = onnx.load(source)
    (loss,) = [node for node in model.graph.node if node.op_type == "SoftmaxCrossEntropyLoss"]
    weights = (0.5 + np.arange(int(classes)) % 7 / 4).astype(np.float32)
    model.graph.initializer.append(numpy_helper.from_array(weights, "class_weights"))
    loss.input.append("class_weights")
    onnx.save(model, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
