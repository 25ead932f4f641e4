"""Writes checkpoints of ONNX Runtime's on-device training: flatbuffers with the identifier ODTC."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import struct

import numpy as np
from onnx import TensorProto
from onnx.mapping import NP_TYPE_TO_TENSOR_TYPE


class Table(dict):
    """Fields by number, each a pair (kind, value). Kinds are those of struct for numbers; text, bytes, numbers (64 bits),
    table and tables for what lies elsewhere."""


def write(root, identifier=b"ODTC"):
    """The content whose outermost table is `root`: parents before children, so that all offsets point forward."""
    out = bytearray(8)
    out[4:8] = identifier
    struct.pack_into("<I", out, 0, emit_table(out, root))
    return bytes(out)


def align(out, size):
    out.extend(bytes(-len(out) % size))


def emit_table(out, table):
    """Appends a table and what it refers to; returns where it is."""
    count = max(table, default=-1) + 1
    sizes = {field: struct.calcsize(kind) if kind in "bBiIqf" else 4 for field, (kind, _) in table.items()}
    align(out, 8)
    layout = len(out)
    out.extend(bytes(4 + 2 * count))
    align(out, 8)
    start, places = len(out), {}
    out.extend(bytes(4))
    for field, size in sorted(sizes.items(), key=lambda item: -item[1]):
        align(out, size)
        places[field] = len(out)
        out.extend(bytes(size))
    struct.pack_into("<HH", out, layout, 4 + 2 * count, len(out) - start)
    struct.pack_into("<i", out, start, start - layout)
    for field, place in places.items():
        struct.pack_into("<H", out, layout + 4 + 2 * field, place - start)
    for field, (kind, value) in table.items():
        if kind in "bBiIqf":
            struct.pack_into("<" + kind, out, places[field], value)
        else:
            struct.pack_into("<I", out, places[field], emit(out, kind, value) - places[field])
    return start


def emit(out, kind, value):
    """Appends what a field refers to; returns where it is."""
    if kind == "table":
        return emit_table(out, value)
    content = {"text": lambda: value.encode(), "bytes": lambda: value, "tables": lambda: bytes(4 * len(value)),
               "numbers": lambda: struct.pack(f"<{len(value)}q", *value)}[kind]()
    out.extend(bytes(-(len(out) + 4) % 8))  # what follows the count is aligned
    start = len(out)
    out.extend(struct.pack("<I", len(value)) + content)
    if kind == "tables":
        for index, each in enumerate(value):
            place = start + 4 + 4 * index
            struct.pack_into("<I", out, place, emit_table(out, each) - place)
    if kind == "text":
        out.append(0)
    return start


def tensor(name, array, **changes):
    """`changes` replace what the array says: dims, data_type, raw_data."""
    array = np.asarray(array)
    fields = {"dims": array.shape, "data_type": NP_TYPE_TO_TENSOR_TYPE.get(array.dtype, TensorProto.FLOAT),
              "raw_data": array.tobytes(), **changes}
    return Table({0: ("text", name), 2: ("numbers", fields["dims"]), 3: ("i", fields["data_type"]),
                  4: ("bytes", fields["raw_data"])})


def group(states=(), step=0, rate=1e-3, name="group0"):
    """What the optimizer keeps; `states` are pairs of a parameter's name and tensors momentum0, momentum1."""
    tables = [Table({0: ("text", parameter), 1: ("tables", moments)}) for parameter, moments in states]
    return Table({0: ("text", name), 1: ("q", step), 2: ("f", rate), 3: ("tables", tables)})


def checkpoint(trainable=(), frozen=(), groups=(), nominal=0, external=0, version=2):
    module = Table({0: ("tables", list(trainable)), 1: ("tables", list(frozen)), 2: ("B", nominal), 3: ("B", external)})
    return Table({0: ("i", version), 1: ("table", module), 2: ("tables", list(groups))})
