"""Compares what dist-run printed at the end of two runs: bytes communicated, and accuracy on held-out data.

    compare_summaries.py WIDE.txt NARROW.txt [--bytes LOW HIGH] [--accuracy DIFFERENCE] [--at-least ACCURACY]

LOW and HIGH bound the bytes of the second run over those of the first, DIFFERENCE the distance of the accuracies; both must
reach ACCURACY.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import re
import sys

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def bytes_of(text):
    number, unit = re.search(r"communication .*?; ([0-9.]+) (\w+) a rank in", text).groups()
    return float(number) * UNITS[unit]


def accuracy_of(text):
    return float(re.search(r"evaluation: .*accuracy ([0-9.]+)", text).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wide", type=pathlib.Path)
    parser.add_argument("narrow", type=pathlib.Path)
    parser.add_argument("--bytes", type=float, nargs=2)
    parser.add_argument("--accuracy", type=float)
    parser.add_argument("--at-least", type=float, default=0)
    arguments = parser.parse_args()
    texts = [arguments.wide.read_text(), arguments.narrow.read_text()]
    if arguments.bytes:
        wide, narrow = map(bytes_of, texts)
        print(f"bytes: {narrow / wide:.4f} of {wide:.0f}")
        if not arguments.bytes[0] <= narrow / wide <= arguments.bytes[1]:
            sys.exit("the ratio of bytes is out of bounds")
    if arguments.accuracy is not None:
        wide, narrow = map(accuracy_of, texts)
        print(f"accuracy: {wide} and {narrow}")
        if abs(wide - narrow) > arguments.accuracy or min(wide, narrow) < arguments.at_least:
            sys.exit("the accuracies are out of bounds")


if __name__ == "__main__":
    main()
