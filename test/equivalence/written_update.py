"""Writes a training model whose update is plain operators: written_update.py MODEL OUT

MODEL has training_info with a Gradient and no loss of its own is touched. The optimizer becomes Sub(w, Mul(rate, gradient)), with
the norm of all gradients clipped by hand.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper


def main():
    model = onnx.load(sys.argv[1])
    info = model.training_info[0]
    algorithm = info.algorithm
    gradient = next(node for node in algorithm.node if node.op_type == "Gradient")
    parameters = [attribute.strings for attribute in gradient.attribute if attribute.name == "xs"][0]
    parameters = [name.decode() for name in parameters]
    optimizer = next(node for node in algorithm.node if node.name == "optimizer")
    algorithm.node.remove(optimizer)
    constants = {"rate": 0.05, "longest": 1.0, "one": 1.0}
    algorithm.node.extend(helper.make_node("Constant", [], [name], name=name, value=numpy_helper.from_array(np.array(value, np.float32)))
                          for name, value in constants.items())
    squares = []
    for name in parameters:
        algorithm.node.append(helper.make_node("Mul", [name + ".gradient"] * 2, [name + ".squares"], name="square_" + name))
        algorithm.node.append(helper.make_node("ReduceSum", [name + ".squares"], [name + ".square"], name="sum_" + name, keepdims=0))
        squares.append(name + ".square")
    nodes = [("Sum", squares, "square"), ("Sqrt", ["square"], "norm"), ("Add", ["norm", "one"], "norm_plus_one"),
             ("Div", ["rate", "norm_plus_one"], "clipped_rate")]
    algorithm.node.extend(helper.make_node(op, inputs, [output], name=output) for op, inputs, output in nodes)
    for name in parameters:
        algorithm.node.append(helper.make_node("Mul", ["clipped_rate", name + ".gradient"], [name + ".move"], name="move_" + name))
        algorithm.node.append(helper.make_node("Sub", [name, name + ".move"], [name + ".next"], name="update_" + name))
    # What belonged to the optimizer alone.
    used = set(parameters) | {"T"}
    for bindings in (info.update_binding, info.initialization_binding):
        for entry in list(bindings):
            if entry.key not in used:
                bindings.remove(entry)
    kept = {entry.value for entry in info.update_binding} | {"loss"}
    for graph, names in ((algorithm, kept), (info.initialization, {entry.value for entry in info.initialization_binding})):
        for output in list(graph.output):
            if output.name not in names:
                graph.output.remove(output)
    for tensor in list(algorithm.initializer):
        if tensor.name not in {"T", "T_increment"}:
            algorithm.initializer.remove(tensor)
    onnx.save(model, sys.argv[2])


if __name__ == "__main__":
    main()
