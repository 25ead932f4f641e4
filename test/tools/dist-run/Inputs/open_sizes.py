"""Writes models whose length is open, and data for them, into FOLDER: open_sizes.py FOLDER"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), output.split(), name=output.split()[0], **attributes)


def integers(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


random = np.random.default_rng(1)
TABLE = numpy_helper.from_array(random.standard_normal((20, 3)).astype(np.float32), "table")
# A mean over the length.
MEAN = [node("Gather", "table words", "rows"), node("ReduceMean", "rows", "scores", axes=[1], keepdims=0)]


def save(name, nodes, inputs, initializers):
    inputs = [helper.make_tensor_value_info(*each) for each in inputs]
    outputs = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", None])]
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / f"{name}.onnx")


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
words = ("words", TensorProto.INT64, ["batch", "time"])
save("words", MEAN, [words], [TABLE])
save("unnamed", MEAN, [("words", TensorProto.INT64, [None, -1])], [TABLE])
save("two", [node("Gather", "table words", "all"), node("Unsqueeze", "mask last", "column"), node("Mul", "all column", "rows"), MEAN[1]],
     [words, ("mask", TensorProto.FLOAT, ["batch", "time"])], [TABLE, integers("last", 2)])
save("repeated", [node("Shape", "words", "k", start=1), node("Cast", "words", "numbers", to=TensorProto.FLOAT),
                  helper.make_node("Trilu", ["numbers", "k"], ["scores"], name="upper")], [words], [])
body = helper.make_graph([node("Identity", "on", "goes"), node("Add", "sum sum", "doubled")], "body",
                         [helper.make_tensor_value_info("trip", TensorProto.INT64, []), helper.make_tensor_value_info("on", TensorProto.BOOL, []),
                          helper.make_tensor_value_info("sum", TensorProto.FLOAT, None)],
                         [helper.make_tensor_value_info("goes", TensorProto.BOOL, []), helper.make_tensor_value_info("doubled", TensorProto.FLOAT, None)])
save("looped", [node("Shape", "words", "shape"), node("Gather", "shape which", "trips"), node("Cast", "words", "numbers", to=TensorProto.FLOAT),
                helper.make_node("Loop", ["trips", "", "numbers"], ["scores"], name="loop", body=body)],
     [words], [numpy_helper.from_array(np.array(1, np.int64), "which")])
# Six places for words, and a picture that must be 40 high and wide.
save("places", [MEAN[0], node("Add", "rows places", "placed"), node("ReduceMean", "placed", "scores", axes=[1], keepdims=0)], [words],
     [TABLE, numpy_helper.from_array(random.standard_normal((6, 3)).astype(np.float32), "places")])
save("picture", [node("Conv", "x kernel", "maps"), node("GlobalAveragePool", "maps", "pooled"), node("Flatten", "pooled", "scores")],
     [("x", TensorProto.FLOAT, ["batch", 1, "height", "width"])],
     [numpy_helper.from_array(random.standard_normal((3, 1, 40, 40)).astype(np.float32), "kernel")])
# A trace of one sample; and one whose open dimension may be that of the samples, as far as the data say.
save("traced", MEAN, [("words", TensorProto.INT64, [1, "time"])], [TABLE])
data = {"words": random.integers(0, 20, (16, 6)), "label": random.integers(0, 3, 16)}
np.savez(folder / "six.npz", **data)
np.savez(folder / "one_word.npz", words=data["words"][:, :1], label=data["label"])
np.savez(folder / "two.npz", mask=np.ones((16, 5), np.float32), **data)
