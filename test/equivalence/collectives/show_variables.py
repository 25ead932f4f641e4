#!/usr/bin/python3
"""Prints the variables of a checkpoint, sorted by name: one line each, with all elements.

    show_variables.py FILE.safetensors
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import struct
import sys

import numpy

TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1",
         "BOOL": "?"}


def elements(data, entry):
    """The array of one tensor of the file."""
    begin, end = entry["data_offsets"]
    if entry["dtype"] == "BF16":  # the upper half of an f32
        wide = numpy.frombuffer(data[begin:end], "<u2").astype("<u4") << 16
        return wide.view("<f4").reshape(entry["shape"])
    return numpy.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])


def number(value):
    """Without a decimal point where there is nothing after it."""
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


def show(value):
    """Nested lists, without spaces after brackets."""
    return "[" + ", ".join(map(show, value)) + "]" if value.ndim else number(value)


def main():
    with open(sys.argv[1], "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<Q", content[:8])
    for name, entry in sorted(json.loads(content[8:8 + length]).items()):
        if name != "__metadata__":
            print(f"{name} {entry['dtype'].lower()} {show(elements(content[8 + length:], entry))}")


if __name__ == "__main__":
    main()
