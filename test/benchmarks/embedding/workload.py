"""The workload of the embedding benchmark: eight tables of 20,000 x 16 and a small network, as an ONNX forward graph, and data.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TABLES, ROWS, WIDTH = 8, 20000, 16
LAYERS = [TABLES * WIDTH, 64, 2]
GLOBAL_BATCH = 256
SAMPLES = 16384
LEARNING_RATE = 0.1


def tables(seed=0):
    generator = np.random.default_rng(seed)
    return {f"table{i}": (0.1 * generator.normal(size=(ROWS, WIDTH))).astype(np.float32) for i in range(TABLES)}


def weights(seed=1):
    """Uniform initial values of every layer as {name: array}."""
    generator = np.random.default_rng(seed)
    values = {}
    for index, (inputs, outputs) in enumerate(zip(LAYERS, LAYERS[1:])):
        bound = 1 / np.sqrt(inputs)
        values[f"fc{index}.weight"] = generator.uniform(-bound, bound, (outputs, inputs)).astype(np.float32)
        values[f"fc{index}.bias"] = generator.uniform(-bound, bound, outputs).astype(np.float32)
    return values


def data(seed=2):
    """Indices of which few are common, one array [SAMPLES] a table, and labels."""
    generator = np.random.default_rng(seed)
    indices = [(ROWS * generator.uniform(size=SAMPLES) ** 3).astype(np.int64) for _ in range(TABLES)]
    return indices, (indices[0] + indices[1]) % 2


def forward_graph():
    nodes = [helper.make_node("Gather", [f"table{i}", f"feature{i}"], [f"looked_up{i}"], name=f"lookup{i}")
             for i in range(TABLES)]
    nodes.append(helper.make_node("Concat", [f"looked_up{i}" for i in range(TABLES)], ["features"], name="features", axis=1))
    nodes.append(helper.make_node("Gemm", ["features", "fc0.weight", "fc0.bias"], ["hidden"], name="fc0", transB=1))
    nodes.append(helper.make_node("Relu", ["hidden"], ["active"], name="relu"))
    nodes.append(helper.make_node("Gemm", ["active", "fc1.weight", "fc1.bias"], ["logits"], name="fc1", transB=1))
    graph = helper.make_graph(
        nodes, "embedding",
        [helper.make_tensor_value_info(f"feature{i}", TensorProto.INT64, ["N"]) for i in range(TABLES)],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", LAYERS[-1]])],
        [numpy_helper.from_array(value, name) for name, value in {**tables(), **weights()}.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def write(folder):
    """Writes embedding.onnx and embedding.npz into the folder and returns their paths."""
    folder = pathlib.Path(folder)
    model, dataset = folder / "embedding.onnx", folder / "embedding.npz"
    onnx.save(forward_graph(), model)
    indices, labels = data()
    np.savez(dataset, label=labels, **{f"feature{i}": array for i, array in enumerate(indices)})
    return model, dataset
