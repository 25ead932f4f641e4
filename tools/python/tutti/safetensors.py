"""Reads and writes safetensors files with numpy alone.

The format: eight bytes, the length of a header in little endian; the header, JSON, with type, shape and place of each tensor and
text under `__metadata__`; the bytes of the tensors, row by row (https://github.com/huggingface/safetensors)."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import math
import os
import struct

import numpy as np

from .errors import FileError

TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "i1", "I16": "<i2", "I32": "<i4", "I64": "<i8", "U8": "u1", "U16": "<u2",
         "U32": "<u4", "U64": "<u8", "BOOL": "?"}
NAMES = {np.dtype(text): name for name, text in TYPES.items()}
METADATA = "__metadata__"
LONGEST_HEADER = 100 << 20  # as the format has it


def _widened(bits):
    """bfloat16, which numpy lacks, as float32: the same values, exactly."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _array(name, entry, data):
    begin, end = entry["data_offsets"]
    shape = tuple(entry["shape"])
    kind = "<u2" if entry["dtype"] == "BF16" else TYPES.get(entry["dtype"])
    if kind is None:
        raise ValueError(f"tensor '{name}' has type {entry['dtype']}; known are {', '.join(TYPES)}, BF16")
    size = math.prod(shape) * np.dtype(kind).itemsize
    if not 0 <= begin <= end <= len(data) or end - begin != size:
        raise ValueError(f"tensor '{name}' of {size} bytes is at {begin} to {end} of {len(data)} bytes")
    array = np.frombuffer(data[begin:end], kind).reshape(shape)
    return _widened(array) if entry["dtype"] == "BF16" else array


def read(path):
    """({name: array} in the order of the file, {key: text} of its metadata).

    Arrays are views of the file's bytes, read only; bfloat16 is widened to float32. FileError names the file and what is wrong with it;
    OSError comes from the system."""
    with open(path, "rb") as file:
        content = memoryview(file.read())
    try:
        (length,) = struct.unpack_from("<Q", content)
        if length > min(LONGEST_HEADER, len(content) - 8):
            raise ValueError(f"its header would have {length} bytes")
        header = json.loads(bytes(content[8:8 + length]))
        data = content[8 + length:]
        metadata = header.pop(METADATA, {})
        return {name: _array(name, entry, data) for name, entry in header.items()}, metadata
    except (struct.error, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FileError(f"{os.fspath(path)}: not a safetensors file that this tool reads: {error}") from error


def write(path, arrays, metadata=None):
    """Writes {name: array} in the order given, and {key: text}. FileError names an array whose type the format lacks."""
    header, position = {}, 0
    if metadata:
        header[METADATA] = {str(key): str(text) for key, text in metadata.items()}
    arrays = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    for name, array in arrays.items():
        little = array.dtype.newbyteorder("<")
        if little not in NAMES:
            raise FileError(f"{os.fspath(path)}: array '{name}' has type {array.dtype}; known are {', '.join(TYPES)}")
        header[name] = {"dtype": NAMES[little], "shape": list(array.shape),
                        "data_offsets": [position, position + array.nbytes]}
        position += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            file.write(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
