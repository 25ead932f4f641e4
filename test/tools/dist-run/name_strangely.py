"""name_strangely.py MODEL NODE NAME OUTPUT: writes the model with another name for the node.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import onnx

path, node, name, output = sys.argv[1:]
model = onnx.load(path)
found = [one for one in model.graph.node if one.name == node]
assert len(found) == 1, [one.name for one in model.graph.node]
found[0].name = name
onnx.save(model, output)
