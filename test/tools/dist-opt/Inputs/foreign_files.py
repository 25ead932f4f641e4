"""Writes files that people take for a model into FOLDER: foreign_files.py FOLDER"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import pathlib
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def model(op, x, y, name, domain="", **attributes):
    inputs = [helper.make_tensor_value_info(each, kind, ["N", 4]) for each, kind in x.items()]
    outputs = [helper.make_tensor_value_info("y", y, ["N", 4])]
    graph = helper.make_graph([helper.make_node(op, list(x), ["y"], name=name, domain=domain, **attributes)], "g", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)


folder = pathlib.Path(sys.argv[1])
pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
(folder / "pointer.onnx").write_text(pointer)
(folder / "folder" / "pointer.onnx").write_text(pointer)
np.savez(folder / "arrays.npz", x=np.zeros((4, 2), np.float32))
header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
(folder / "weights.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(4))
(folder / "README.md").write_text("# How to train\n\nRun it.\n")
(folder / "saved").mkdir()
(folder / "saved" / "saved_model.pb").write_bytes(b"\x08\x01\x12\x02\x0a\x00")
(folder / "input_0.pb").write_bytes(numpy_helper.from_array(np.zeros((2, 3), np.float32), "x").SerializeToString())
bytes_and_scale = {"a": TensorProto.FLOAT, "b": TensorProto.UINT8, "s": TensorProto.FLOAT}
onnx.save(model("MatMulNBits", bytes_and_scale, TensorProto.FLOAT, "product", "com.microsoft", K=4, N=4), folder / "quantized.onnx")
integers = helper.make_node("MatMulInteger", ["a", "b"], ["y"], name="product")
values = [helper.make_tensor_value_info(name, kind, [4, 4]) for name, kind in [("a", TensorProto.UINT8), ("b", TensorProto.UINT8), ("y", TensorProto.INT32)]]
onnx.save(helper.make_model(helper.make_graph([integers], "g", values[:2], values[2:]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
          folder / "integers.onnx")
onnx.save(model("Identity", {"x": TensorProto.STRING}, TensorProto.STRING, "same"), folder / "strings.onnx")
