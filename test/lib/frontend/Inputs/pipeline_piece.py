"""A piece of a pipeline as ONNX Runtime cuts one: it receives `h`, and sends the product of `h` and `w` on.

    pipeline_piece.py MODEL.onnx DATA.npz [FRAME]      FRAME: an entry of the metadata that a program of Tutti has

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import numpy as np
import onnx
from onnx import helper
from onnx_pieces import BOOL, FLOAT, INT64, floats, model, node, tensor, value

path, data, *frame = sys.argv[1:]
nodes = [node("Recv", "go source", "received h", "receive", domain="com.microsoft", tag=0, element_types=[FLOAT]),
         node("MatMul", "h w", "y", "product"),
         node("Send", "received target y", "sent", "send", domain="com.microsoft", tag=0, element_types=[FLOAT])]
initializers = [floats("w", 3, 2), tensor("go", np.array(True)), tensor("source", np.int64(0)), tensor("target", np.int64(2))]
piece = model(nodes, [], [value("received", [], BOOL), value("sent", [], BOOL)], initializers, opset=12, domains=["com.microsoft"])
piece.graph.value_info.append(value("h", ["batch", 3]))
if frame:
    helper.set_model_props(piece, {"tutti.program": frame[0]})
onnx.save(piece, path)
np.savez(data, h=np.ones((8, 3), np.float32), label=np.zeros((8, 2), np.float32))
