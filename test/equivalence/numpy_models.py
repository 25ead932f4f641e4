"""Models of f64, trained by dist-run on one rank and several, and by numpy.

A model is nodes that a Graph collects, and a function of numpy that computes its output `y` from inputs and variables. The mean square of it is the
loss, central differences of which are the gradients of two steps of SGD. Nothing of that is read from the graph.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402

BATCH, STEPS, RATE = 12, 2, 0.1
SOURCE = np.random.default_rng(4)
CASES = {}


def floats(*shape):
    return SOURCE.standard_normal(shape)


def case(inputs, variables, opset=17):
    """The function below builds the nodes that make `y` with a Graph, and gives the function of numpy: of inputs and variables, by name."""

    def add(build):
        graph = Graph(opset)
        CASES[build.__name__.replace("_", " ")] = (graph, inputs, variables, build(graph))

    return add


class Graph:
    """Nodes, and constants that they take."""

    def __init__(self, opset):
        self.opset, self.nodes, self.constants = opset, [], []

    def __call__(self, op, *inputs, out=1, domain="", **attributes):
        names = [name if isinstance(name, str) else self.constant(name) for name in inputs]
        outputs = [out] if isinstance(out, str) else [f"{op}_{len(self.nodes)}_{i}" for i in range(out)]
        self.nodes.append(helper.make_node(op, names, outputs, name=outputs[0], domain=domain, **attributes))
        return outputs[0] if len(outputs) == 1 else outputs

    def constant(self, value):
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def size(self, name, axis=0):
        return self("Gather", self("Shape", name), np.int64(axis))


def value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


KINDS = {"f": TensorProto.DOUBLE, "i": TensorProto.INT64}


def write(path, graph, inputs, variables):
    square = [helper.make_node("Mul", ["y", "y"], ["square"], name="square"), helper.make_node("ReduceMean", ["square"], ["loss"], name="loss", keepdims=0)]
    made = [helper.make_node("Constant", [], [tensor.name], name=tensor.name, value=tensor) for tensor in graph.constants]
    given = [value(name, KINDS[data.dtype.kind], ["N", *data.shape[1:]]) for name, data in inputs.items()]
    body = helper.make_graph(made + graph.nodes + square, "g", given, [value("loss", TensorProto.DOUBLE, [])],
                             [numpy_helper.from_array(data, name) for name, data in variables.items()])
    opsets = [helper.make_opsetid("", graph.opset), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(body, opset_imports=opsets, ir_version=8), path)


def train(dist_run, folder, ranks, keys="", loss="output", batch=BATCH):
    command = [dist_run, "-n", str(ranks), folder / "model.onnx", "--dataset", folder / "data.npz", "--shuffle=false", "--steps", str(STEPS), "--save",
               folder / "out.safetensors", f"--train=loss={loss} optimizer=sgd learning-rate={RATE} global-batch={batch} {keys}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr if run.returncode else read_checkpoint(str(folder / "out.safetensors"))


def descend(compute, inputs, variables):
    """The variables after the steps, by central differences."""
    now = {name: data.copy() for name, data in variables.items()}
    for step in range(STEPS):
        batch = {name: data[step * BATCH:(step + 1) * BATCH] for name, data in inputs.items()}
        gradients = {}
        for name, data in now.items():
            gradients[name] = np.zeros_like(data)
            for at in np.ndindex(data.shape):
                losses, kept = [], data[at]
                for sign in (1, -1):
                    data[at] = kept + sign * 1e-5
                    losses.append(np.mean(compute(**batch, **now)**2))
                data[at] = kept
                gradients[name][at] = (losses[0] - losses[1]) / 2e-5
        for name, gradient in gradients.items():
            now[name] -= RATE * gradient
    return now


def difference(found, expected, initial):
    """What is wrong, or nothing."""
    if isinstance(found, str):
        return found
    for name, data in initial.items():
        moved = np.linalg.norm(expected[name] - data)
        if not moved > 1e-4 * np.linalg.norm(data):
            return f"{name} is not trained"
        if not np.linalg.norm(found[name] - expected[name]) <= 1e-6 * moved:
            return f"{name} differs by {np.linalg.norm(found[name] - expected[name]) / moved:.2g}"
    return ""


def main():
    dist_run, folder, wanted = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for name, (graph, inputs, variables, compute) in CASES.items():
        if wanted and name not in wanted:
            continue
        write(folder / "model.onnx", graph, inputs, variables)
        np.savez(folder / "data.npz", **inputs)
        expected = descend(compute, inputs, variables)
        for ranks in (1, 2, 4):
            problem = difference(train(dist_run, folder, ranks), expected, variables)
            failed |= bool(problem)
            print(f"{name} on {ranks}: {problem or 'equal'}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
