"""Compares the arena of a step with and without buckets, for 2 and 4 ranks: memory.py MODEL.onnx RECIPE

Ends with 1 if buckets take more than 2 % more.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import subprocess
import sys


def arena_bytes(model, recipe, ranks, fuse):
    command = ["dist-opt", model, f"--train={recipe}", "--distribute=buckets=none", *fuse, f"--specialize-world=ranks={ranks}", "--compile", "-o", "-"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    _, step, *_ = re.findall(r"kernel.arena_bytes = (\d+)", text)  # @initialize comes first
    return int(step)


def main():
    model, recipe = sys.argv[1:3]
    for ranks in (2, 4):
        without = arena_bytes(model, recipe, ranks, [])
        with_buckets = arena_bytes(model, recipe, ranks, ["--collective-fuse=bucket-bytes=0 first-bucket-bytes=0"])
        if with_buckets > 1.02 * without:
            sys.exit(f"{ranks} ranks: {without} bytes without buckets, {with_buckets} with")
        print(f"{ranks} ranks: {without} bytes without buckets, {with_buckets} with: at most 2 % more")


if __name__ == "__main__":
    main()
