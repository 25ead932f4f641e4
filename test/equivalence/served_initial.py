"""served_initial.py CHECKPOINT: the tables are as served-initial.test says they begin: user.weight uniform from -1/4 to 1/4, item.weight normal with 1/8.
served_initial.py --move NAME,... MODEL FILE: writes the model with these initializers in a file of external data that is not there.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import struct
import sys

import numpy


def load(path):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(size)), file.read()
    return {name: numpy.frombuffer(data[slice(*entry["data_offsets"])], numpy.float32) for name, entry in header.items() if name in ("user.weight", "item.weight")}


def check(path):
    tables = load(path)
    user, item = tables["user.weight"], tables["item.weight"]
    assert user.min() >= -0.25 and user.max() < 0.25 and abs(user.std() - 0.5 / 12 ** 0.5) < 0.01, (user.min(), user.max(), user.std())
    assert abs(item.mean()) < 0.01 and abs(item.std() - 0.125) < 0.01 and len(numpy.unique(item)) > 0.99 * len(item), (item.mean(), item.std())


def move(names, source, target):
    import onnx
    model = onnx.load(source)
    for offset, tensor in enumerate(tensor for tensor in model.graph.initializer if tensor.name in names):
        size = 4 * int(numpy.prod(tensor.dims))
        for field in ("raw_data", "float_data"):
            tensor.ClearField(field)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in (("location", "nowhere"), ("offset", str(offset << 20)), ("length", str(size))):
            tensor.external_data.add(key=key, value=value)
    with open(target, "wb") as file:
        file.write(model.SerializeToString())


if sys.argv[1] == "--move":
    move(sys.argv[2].split(","), *sys.argv[3:])
else:
    check(sys.argv[1])
