"""Reads and writes safetensors files with numpy alone (f32, f64, i64 and the other plain types)."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import struct

import numpy as np

TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "i1", "I16": "<i2", "I32": "<i4", "I64": "<i8", "U8": "u1",
         "BOOL": "?"}
NAMES = {np.dtype(text): name for name, text in TYPES.items()}


def read_checkpoint(path):
    """{variable name: array} in file order; ValueError names the file and what is wrong with it."""
    with open(path, "rb") as file:
        content = file.read()
    try:
        (length,) = struct.unpack_from("<Q", content)
        header = json.loads(content[8:8 + length])
        data = memoryview(content)[8 + length:]
        return {name: _array(entry, data) for name, entry in header.items() if name != "__metadata__"}
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: not a safetensors file that this tool reads: {error}") from error


def _array(entry, data):
    begin, end = entry["data_offsets"]
    return np.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])


def write_checkpoint(path, arrays):
    """Writes {variable name: array}, tensors in the order given."""
    header, position = {}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape),
                        "data_offsets": [position, position + array.nbytes]}
        position += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            file.write(np.asarray(array, order="C").tobytes())
