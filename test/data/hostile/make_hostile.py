#!/usr/bin/python3
"""Writes broken and malicious .onnx, .npy, .npz and .safetensors files into a folder: each must be refused cleanly.

    make_hostile.py OUTPUT_FOLDER

Every file is small. OUTPUT_FOLDER/manifest.txt lists one file a line, with what is wrong with it. The files are made at
test time and never committed. The folder's parent gets a file `secret.bin`, which a reader must never reach.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys

import hostile_arrays
import hostile_checkpoints
import hostile_models


def write_secret(folder):
    """The file that escaping paths point at; it exists so that 'not found' can't pass for a refusal."""
    with open(os.path.join(os.path.dirname(folder), "secret.bin"), "wb") as file:
        file.write(b"\x2a" * 4096)


def make_all(folder):
    """Writes every file; returns {file name: what is wrong with it}."""
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    write_secret(folder)
    reasons = {}
    for kind in (hostile_models, hostile_arrays, hostile_checkpoints):
        for name, (content, reason) in kind.files(folder).items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
            reasons[name] = reason
    with open(os.path.join(folder, "manifest.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"{name}\t{reason}\n" for name, reason in sorted(reasons.items()))
    return reasons


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    print(f"wrote {len(make_all(sys.argv[1]))} hostile files to {sys.argv[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
