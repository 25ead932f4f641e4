"""Writes models that are exported only as they are told: models_to_export.py FOLDER

seedless.onnx and seeded.onnx draw their weight; the loss of pairs.onnx is about all pairs of samples.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import sys

import numpy as np
import onnx
import onnx.parser
from onnx import TensorProto, helper, numpy_helper

HEAD = '<ir_version: 8, opset_import: ["": 17, "ai.onnx.preview.training": 1]> g (float[N,4] x) => (float loss) '
TRAINING = "ai.onnx.preview.training"


def model(nodes, **initializers):
    made = onnx.parser.parse_model(HEAD + "{ " + nodes + " loss = ReduceMean<keepdims = 0>(s) }")
    made.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in initializers.items())
    return made


def drawn(**seed):
    weight = np.zeros((4, 3), np.float32)
    made = model("y = MatMul(x, w)  s = Mul(y, y)", w=weight, v=weight, R=np.float32(0.1), T=np.int64(0))
    start = helper.make_graph([helper.make_node("RandomNormal", [], ["first"], shape=[4, 3], **seed)], "start", [], [helper.make_tensor_value_info("first", TensorProto.FLOAT, [4, 3])])
    step = [helper.make_node("Gradient", ["w"], ["dw"], domain=TRAINING, xs=["w"], y="loss"),
            helper.make_node("Momentum", ["R", "T", "w", "dw", "v"], ["new_w", "new_v"], domain=TRAINING, alpha=0.5, beta=1.0, mode="standard",
                             norm_coefficient=0.0)]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 3]) for name in ("new_w", "new_v")]
    algorithm = helper.make_graph(step, "step", [], outputs)
    made.training_info.append(helper.make_training_info(algorithm, [("w", "new_w"), ("v", "new_v")], start, [("w", "first")]))
    return made


folder = pathlib.Path(sys.argv[1])
onnx.save(drawn(), folder / "seedless.onnx")
onnx.save(drawn(seed=3.0), folder / "seeded.onnx")
pairs = model("y = MatMul(x, w)  t = Transpose(y)  p = MatMul(y, t)  s = Softmax<axis = 1>(p)", w=np.eye(4, 3, dtype=np.float32))
onnx.save(pairs, folder / "pairs.onnx")
