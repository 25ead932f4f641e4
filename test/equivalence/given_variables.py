"""Takes the values of a model's initializers out of it:

    given_variables.py MODEL.onnx FOLDER

FOLDER/inputs.onnx has the initializers as inputs, FOLDER/module.onnx too, and YieldOp before a backward part as ORTModule of
ONNX Runtime has it; FOLDER/zeros.onnx has zeros for them. FOLDER/values.safetensors has their values, and in another order
and with one more FOLDER/more.safetensors. FOLDER/narrow.safetensors and FOLDER/double.safetensors do not fit.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "checkpoints"))
from checkpoint_file import write_checkpoint  # noqa: E402

def without_initializers(model):
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    for tensor in model.graph.initializer:
        changed.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    del changed.graph.initializer[:]
    return changed


def with_yield(model):
    """The outputs go to the host; what comes back is led through one operator of the backward part."""
    graph, output = model.graph, model.graph.output[0].name
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    last = next(node for node in graph.node if output in node.output)
    graph.node.append(helper.make_node("YieldOp", [output], ["slope"], name="yield", domain="com.microsoft", full_shape_outputs=[0]))
    graph.node.append(helper.make_node("ReduceSumTraining", ["slope", "axes"], [last.input[2] + "_grad"], name="backward",
                                       domain="com.microsoft", keepdims=0))
    graph.initializer.append(numpy_helper.from_array(np.array([0], np.int64), "axes"))
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info(last.input[2] + "_grad", TensorProto.FLOAT, None))
    return model


def main():
    model, folder = onnx.load(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    onnx.save(without_initializers(model), str(folder / "inputs.onnx"))
    onnx.save(with_yield(without_initializers(model)), str(folder / "module.onnx"))
    for tensor in model.graph.initializer:
        tensor.CopyFrom(numpy_helper.from_array(np.zeros_like(values[tensor.name]), tensor.name))
    onnx.save(model, str(folder / "zeros.onnx"))
    write_checkpoint(folder / "values.safetensors", values)
    write_checkpoint(folder / "more.safetensors", {"batches": np.zeros((), np.int64), **dict(reversed(values.items()))})
    first = next(iter(values))
    write_checkpoint(folder / "narrow.safetensors", {**values, first: values[first][:-1]})
    write_checkpoint(folder / "double.safetensors", {**values, first: values[first].astype(np.float64)})
    write_checkpoint(folder / "other.safetensors", {"nothing": values[first]})


main()
