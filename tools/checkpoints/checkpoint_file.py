"""Checkpoints of tests and tools: safetensors files, as the Python package `tutti` reads and writes them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from tutti import safetensors  # noqa: E402


def read_checkpoint(path):
    """{variable name: array} in file order; ValueError names the file and what is wrong with it."""
    return safetensors.read(path)[0]


def write_checkpoint(path, arrays):
    """Writes {variable name: array}, tensors in the order given."""
    safetensors.write(path, arrays)
