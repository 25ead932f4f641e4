"""Hostile .safetensors files: header lengths, names, types, shapes and offsets that lie."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import struct

import numpy as np


def checkpoint(header, data=b"\0" * 64, length=None):
    """A file with this header (text or dict); `length` overrides the true length of the header."""
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(dtype="F32", shape=(4, 4), offsets=(0, 64)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def broken_headers():
    whole = checkpoint({"w": entry()})
    return {
        "empty": (b"", "an empty file"),
        "seven-bytes": (whole[:7], "shorter than the length field"),
        "truncated-header": (whole[:20], "the header stops in the middle"),
        "truncated-data": (whole[:-1], "the last byte is missing"),
        "trailing-data": (whole + b"\0" * 8, "bytes that belong to no tensor"),
        "garbage": (np.random.RandomState(9).bytes(2000), "random bytes"),
        "length-zero": (checkpoint("", b""), "a header of no bytes"),
        "length-2-63": (checkpoint({"w": entry()}, length=1 << 63), "a header of 2^63 bytes"),
        "length-max": (checkpoint({"w": entry()}, length=(1 << 64) - 1), "a header of 2^64-1 bytes"),
        "length-beyond-file": (checkpoint({"w": entry()}, length=100000), "a header longer than the file"),
        "not-json": (checkpoint("{'w': nonsense"), "a header that is no JSON"),
        "array-header": (checkpoint("[]", b""), "a header that is no object"),
        "bad-utf8": (struct.pack("<Q", 4) + b'{"\xff}', "a header that is no UTF-8"),
        "deep-json": (checkpoint("[" * 100000 + "]" * 100000, b""), "100,000 nested arrays"),
        "duplicate-name": (checkpoint('{"w": %s, "w": %s}' % ((json.dumps(entry()),) * 2)), "two tensors named w"),
    }


def broken_entries():
    cases = {
        "unknown-type": (entry(dtype="F12"), "type F12"),
        "type-number": (entry(dtype=32), "a type that is no text"),
        "negative-shape": (entry(shape=(-4, -4)), "shape -4 x -4"),
        "fractional-shape": (entry(shape=(4.5, 4)), "a dimension of 4.5"),
        "huge-shape": (entry(shape=(1 << 62, 1 << 62)), "the byte count overflows 64 bits"),
        "shape-mismatch": (entry(shape=(4, 5)), "80 bytes wanted, 64 there"),
        "shape-text": ({**entry(), "shape": "4x4"}, "a shape that is no list"),
        "offsets-past-end": (entry(shape=(8, 4), offsets=(0, 128)), "offsets beyond the end of the file"),
        "offsets-reversed": (entry(offsets=(64, 0)), "the end stands before the begin"),
        "offsets-negative": (entry(offsets=(-64, 0)), "a negative offset"),
        "offsets-overflow": (entry(offsets=((1 << 64) - 32, 32)), "offsets that wrap around"),
        "offsets-three": (entry(offsets=(0, 32, 64)), "three offsets"),
        "offsets-missing": ({"dtype": "F32", "shape": [4, 4]}, "no offsets"),
        "entry-null": (None, "a tensor that is null"),
    }
    return {name: (checkpoint({"w": value}), reason) for name, (value, reason) in cases.items()}


def broken_layouts():
    return {
        "overlap": (checkpoint({"a": entry(), "b": entry(offsets=(32, 96))}, b"\0" * 96), "two tensors overlap"),
        "hole": (checkpoint({"a": entry(), "b": entry(offsets=(128, 192))}, b"\0" * 192), "64 bytes of no tensor"),
        "metadata-number": (checkpoint({"__metadata__": {"step": 3}, "w": entry()}), "metadata that is no text"),
    }


def files(folder):
    """{file name: (bytes, what is wrong)}."""
    return {name + ".safetensors": value
            for name, value in {**broken_headers(), **broken_entries(), **broken_layouts()}.items()}
