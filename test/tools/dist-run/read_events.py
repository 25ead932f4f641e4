"""read_events.py FOLDER: prints the scalars of the event files of a run directory in the order of their files, as a reader that shares no code
with the writer sees them: frames of TFRecord, each checked against its masked CRC-32C, and protocol buffers, read field by field.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import struct
import sys


def crc32c(data):
    """Bit by bit, from the definition."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def check(data, stored, what):
    value = crc32c(data)
    masked = ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF
    if masked != stored:
        sys.exit(f"wrong checksum of {what}")


def records(content):
    while content:
        length, length_sum = struct.unpack_from("<QI", content)
        check(content[:8], length_sum, "a length")
        data, (data_sum,) = content[12:12 + length], struct.unpack_from("<I", content, 12 + length)
        check(data, data_sum, "a record")
        yield data
        content = content[16 + length:]


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """(number, value): whole numbers, doubles, floats, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            (value,), at = struct.unpack_from("<d", data, at), at + 8
        elif kind == 5:
            (value,), at = struct.unpack_from("<f", data, at), at + 4
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            sys.exit(f"wire type {kind}")
        yield key >> 3, value


def show(event, is_first):
    content = dict(fields(event))
    if is_first != (content.get(3) == b"brain.Event:2") or not 1e9 < content[1] < 1e11:
        sys.exit(f"no event: {content}")
    if 7 in content:
        print(f"step {content[2]}: session {dict(fields(content[7]))[1]}")
    for _, scalar in fields(content.get(5, b"")):
        value = dict(fields(scalar))
        print(f"step {content[2]}: {value[1].decode()} {value[2]:.6g}")


def main():
    folder = sys.argv[1]
    for name in sorted(name for name in os.listdir(folder) if name.startswith("events.out.tfevents.")):
        print("a file")
        with open(os.path.join(folder, name), "rb") as file:
            for number, event in enumerate(records(file.read())):
                show(event, number == 0)


if __name__ == "__main__":
    main()
