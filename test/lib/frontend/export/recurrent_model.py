"""A recurrent layer whose loss is of all its results, and samples for it.

    recurrent_model.py KIND DIRECTION OUT.onnx DATA.npz [ATTRIBUTE=INTEGER | peepholes | relu | bare | lengths]...
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
TIME, INPUTS, HIDDEN = 5, 3, 4


def main():
    kind, direction, out, data, *more = sys.argv[1:]
    random, ways, gates = np.random.default_rng(3), 2 if direction == "bidirectional" else 1, GATES[kind]
    attributes = {key: int(value) for key, value in (word.split("=") for word in more if "=" in word)}
    if "relu" in more:
        attributes["activations"] = ways * ["Relu"]
    variables, names = {}, ["turned"]

    def variable(name, *shape):
        variables[name] = (0.5 * random.standard_normal(shape)).astype(np.float32)
        return name

    names += [variable("W", ways, gates * HIDDEN, INPUTS), variable("R", ways, gates * HIDDEN, HIDDEN)]
    names += [""] if "bare" in more else [variable("B", ways, 2 * gates * HIDDEN)]
    nodes = [helper.make_node("Transpose", ["x"], ["turned"], name="turned", perm=[1, 0, 2])]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", TIME, INPUTS])]
    samples = {"x": random.standard_normal((16, TIME, INPUTS)).astype(np.float32)}
    names.append("lengths" if "lengths" in more else "")
    if "lengths" in more:
        inputs.append(helper.make_tensor_value_info("lengths", TensorProto.INT32, ["N"]))
        samples["lengths"] = random.integers(1, TIME + 1, 16).astype(np.int32)
    starts = 0 if "bare" in more else 2 if kind == "LSTM" else 1
    for state in "hc"[:starts]:
        inputs.append(helper.make_tensor_value_info(state, TensorProto.FLOAT, ["N", HIDDEN]))
        samples[state] = random.standard_normal((16, HIDDEN)).astype(np.float32)
        scaled = helper.make_node("Mul", [variable(f"{state}_scale", ways, 1, HIDDEN), state], [f"{state}_start"], name=f"{state}_start")
        nodes.append(scaled)
        names.append(f"{state}_start")
    if "peepholes" in more:
        names.append(variable("P", ways, 3 * HIDDEN))
    results = ["y", "last", "memory"][:3 if kind == "LSTM" else 2]
    nodes.append(helper.make_node(kind, names, results, name="layer", hidden_size=HIDDEN, direction=direction, **attributes))
    for index, name in enumerate(results):
        nodes += [helper.make_node("Mul", [name, name], [f"{name}_square"], name=f"{name}_square"),
                  helper.make_node("ReduceMean", [f"{name}_square" if index != 1 else name], [f"{name}_mean"], name=f"{name}_mean", keepdims=0)]
    nodes.append(helper.make_node("Sum", [f"{name}_mean" for name in results], ["loss"], name="loss"))
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])],
                              [numpy_helper.from_array(value, name) for name, value in variables.items()])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), out)
    np.savez(data, **samples)


if __name__ == "__main__":
    main()
