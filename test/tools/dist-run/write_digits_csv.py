"""Writes the digits as tables, plain and compressed in several ways: write_digits_csv.py DIGITS.npz FOLDER.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import gzip
import pathlib
import sys

import numpy


def table(data, separator):
    pixels = data["input"].reshape(len(data["label"]), 64)
    lines = [separator.join([f"p{i}" for i in range(64)] + ["digit"])]
    lines += [separator.join([repr(float(pixel)) for pixel in row] + [str(int(label))]) for row, label in zip(pixels, data["label"])]
    return ("\n".join(lines) + "\n").encode()


def main():
    data, folder = numpy.load(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = table(data, ",")
    packed, half = gzip.compress(text), len(text) // 2
    (folder / "digits.csv").write_bytes(text)
    (folder / "digits.csv.gz").write_bytes(packed)
    (folder / "two-members.csv.gz").write_bytes(gzip.compress(text[:half]) + gzip.compress(text[half:]))
    (folder / "digits.tsv.gz").write_bytes(gzip.compress(table(data, "\t")))
    (folder / "cut.csv.gz").write_bytes(packed[:len(packed) // 2])
    (folder / "tail.csv.gz").write_bytes(packed + b"something else")
    (folder / "digits.csv.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(100))


if __name__ == "__main__":
    main()
