"""Compares an exported model with the one that was given and with the checkpoint: equal bits, and nothing else has changed.

    check_export.py ORIGINAL.onnx EXPORTED.onnx CHECKPOINT.safetensors TOOLS

Prints how many initializers there are, how many hold variables of the checkpoint, and how many of those training has changed.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import onnx
from onnx import numpy_helper

CONTENTS = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data", "raw_data", "external_data", "data_location")


def initializers(model):
    graphs = [model.graph] + [info.algorithm for info in model.training_info]
    return {tensor.name: tensor for graph in graphs for tensor in graph.initializer}


def same_bits(first, second):
    return first.dtype == second.dtype and first.shape == second.shape and first.tobytes() == second.tobytes()


def take_out(tensor):
    """The value of a tensor, which has none from then on."""
    value = numpy_helper.to_array(tensor)
    for field in CONTENTS:
        tensor.ClearField(field)
    return value


def main():
    original_path, exported_path, checkpoint_path, tools = sys.argv[1:]
    sys.path.append(tools)
    from checkpoint_file import read_checkpoint  # pylint: disable=import-outside-toplevel,import-error
    onnx.checker.check_model(exported_path)
    original, exported = onnx.load(original_path), onnx.load(exported_path)
    variables = read_checkpoint(checkpoint_path)
    before, after = initializers(original), initializers(exported)
    held = [name for name in after if name in variables]
    changed = 0
    for name in held:
        old, new = take_out(before[name]), take_out(after[name])
        if not same_bits(new, variables[name]):
            sys.exit(f"'{name}' is not that of the checkpoint")
        changed += not same_bits(old, new)
    if original.SerializeToString(deterministic=True) != exported.SerializeToString(deterministic=True):
        sys.exit("something else has changed")
    print(f"{len(after)} initializers, {len(held)} variables, {changed} changed")


if __name__ == "__main__":
    main()
