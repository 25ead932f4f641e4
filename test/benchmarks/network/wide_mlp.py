"""The workload of the network benchmark: an MLP of equally wide layers, so that gradients are ready one after the other.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

INPUTS, CLASSES, SAMPLES = 256, 10, 4096


def weights(sizes, seed=0):
    generator = np.random.default_rng(seed)
    values = {}
    for index, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        bound = 1 / np.sqrt(inputs)
        values[f"fc{index}.weight"] = generator.uniform(-bound, bound, (outputs, inputs)).astype(np.float32)
        values[f"fc{index}.bias"] = np.zeros(outputs, np.float32)
    return values


def forward_graph(width, layers):
    sizes = [INPUTS] + [width] * layers + [CLASSES]
    nodes, value = [], "input"
    for index in range(len(sizes) - 1):
        is_last = index == len(sizes) - 2
        output = "logits" if is_last else f"hidden{index}"
        nodes.append(helper.make_node("Gemm", [value, f"fc{index}.weight", f"fc{index}.bias"], [output],
                                      name=f"fc{index}", transB=1))
        if not is_last:
            value = f"relu{index}"
            nodes.append(helper.make_node("Relu", [output], [value], name=value))
    graph = helper.make_graph(
        nodes, "wide_mlp",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", INPUTS])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", CLASSES])],
        [numpy_helper.from_array(value, name) for name, value in weights(sizes).items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def write(folder, width, layers):
    """Writes wide_mlp.onnx and wide_mlp.npz into the folder and returns their paths."""
    folder = pathlib.Path(folder)
    model, dataset = folder / "wide_mlp.onnx", folder / "wide_mlp.npz"
    onnx.save(forward_graph(width, layers), model)
    generator = np.random.default_rng(1)
    np.savez(dataset, input=generator.normal(size=(SAMPLES, INPUTS)).astype(np.float32),
             label=generator.integers(0, CLASSES, SAMPLES))
    return model, dataset
