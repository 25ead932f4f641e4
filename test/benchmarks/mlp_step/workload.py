"""The workload of the step benchmark: an MLP 784-512-512-10 as an ONNX forward graph, and data to train it on.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS = [784, 512, 512, 10]
GLOBAL_BATCH = 256
SAMPLES = 4096
LEARNING_RATE = 0.1


def weights(seed=0):
    """Uniform initial values of every layer as {name: array}, the same for each contestant."""
    generator = np.random.default_rng(seed)
    values = {}
    for index, (inputs, outputs) in enumerate(zip(LAYERS, LAYERS[1:])):
        bound = 1 / np.sqrt(inputs)
        values[f"fc{index}.weight"] = generator.uniform(-bound, bound, (outputs, inputs)).astype(np.float32)
        values[f"fc{index}.bias"] = generator.uniform(-bound, bound, outputs).astype(np.float32)
    return values


def data(seed=1):
    """Random samples whose labels follow from them, so that training has something to learn."""
    generator = np.random.default_rng(seed)
    inputs = generator.normal(size=(SAMPLES, LAYERS[0])).astype(np.float32)
    labels = np.argmax(inputs @ generator.normal(size=(LAYERS[0], LAYERS[-1])), axis=1)
    return inputs, labels.astype(np.int64)


def forward_graph():
    nodes, value = [], "input"
    last = len(LAYERS) - 2
    for index in range(len(LAYERS) - 1):
        output = "logits" if index == last else f"hidden{index}"
        nodes.append(helper.make_node("Gemm", [value, f"fc{index}.weight", f"fc{index}.bias"], [output],
                                      name=f"fc{index}", transB=1))
        if index != last:
            nodes.append(helper.make_node("Relu", [output], [f"relu{index}"], name=f"relu{index}"))
            value = f"relu{index}"
    graph = helper.make_graph(
        nodes, "mlp",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", LAYERS[0]])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", LAYERS[-1]])],
        [numpy_helper.from_array(value, name) for name, value in weights().items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def write(folder):
    """Writes mlp.onnx and mlp.npz into the folder and returns their paths."""
    folder = pathlib.Path(folder)
    model, dataset = folder / "mlp.onnx", folder / "mlp.npz"
    onnx.save(forward_graph(), model)
    inputs, labels = data()
    np.savez(dataset, input=inputs, label=labels)
    return model, dataset
