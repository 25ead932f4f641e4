"""Gives the functions of an exported model names that say nothing, so that importing it takes their bodies for them.

    plain_functions.py MODEL OUT [BATCH]

With BATCH, sizes of inputs that vary become it: import then knows the shapes that bodies calculate with.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import onnx


def main():
    model = onnx.load(sys.argv[1])
    info = model.training_info
    graphs = [model.graph] + [graph for part in info for graph in (part.algorithm, part.initialization)]
    renamed = [node for graph in graphs for node in graph.node] + list(model.functions) + list(model.opset_import)
    count = 0
    for part in renamed:
        if part.domain.startswith("tutti."):
            part.domain = part.domain.replace("tutti.", "plain.")
            count += 1
    if not count:
        sys.exit(f"{sys.argv[1]} calls no function")
    for dimension in (size for one in model.graph.input for size in one.type.tensor_type.shape.dim):
        if len(sys.argv) > 3 and not dimension.HasField("dim_value"):
            dimension.dim_value = int(sys.argv[3])
    onnx.save(model, sys.argv[2])


if __name__ == "__main__":
    main()
