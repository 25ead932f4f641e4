"""Writes a model whose variables have names that mean something in patterns, rules and lists of keys.

    rename.py MODEL RENAMED

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import onnx


def main():
    model = onnx.load(sys.argv[1], load_external_data=False)
    names = {tensor.name: f"a[0]; '{tensor.name}" for tensor in model.graph.initializer}
    for tensor in model.graph.initializer:
        tensor.name = names[tensor.name]
    for node in model.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
    onnx.save(model, sys.argv[2])


if __name__ == "__main__":
    main()
