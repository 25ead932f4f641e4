"""Gradients of the functions of edge_cases.py, against values that PyTorch gave:

    edge_gradients.py values > Inputs/edge_gradients.json    by PyTorch (Debian: python3-torch), in f64
    edge_gradients.py write FOLDER [f64]                     model.onnx, whose variables w stand for x = point + w, and data.npz
    edge_gradients.py check CHECKPOINT                       ends with 1 unless the variables, after one step of SGD, are the gradients
    edge_gradients.py cover FOLDER                           ends with 1 unless each operator of the gradient cases in FOLDER has a case

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import functools
import json
import os
import re
import sys

import numpy as np

from edge_cases import CASES

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "tools", "checkpoints"))
VALUES = os.path.join(HERE, "Inputs", "edge_gradients.json")

# Operators that are smooth wherever they are defined, those that move numbers, and those that are written only by us. Recurrent layers have
# the edges of their activations, by which they are differentiated.
WITHOUT_EDGES = """Add Sub Neg Sum Mean MatMul Gemm Conv Cast Identity ReduceSum ReduceMean ReduceSumGrad ReduceMeanGrad GlobalAveragePool CumSum
BatchNormalization BatchNormInternal Dropout Concat Split Slice SliceGrad Expand Pad Trilu Flatten Reshape Transpose Squeeze Unsqueeze Gather GatherElements GatherND
ScatterElements ScatterND ScatterRows FakeQuantize Constant RandomNormalLike RandomUniformLike Less Greater Equal
RNN GRU LSTM""".split()


def weights(count):
    """What the elements of a result are multiplied by, so that none can be taken for another."""
    return np.arange(1, count + 1, dtype=np.float64)


def values():
    import torch  # noqa: F401  what the texts of the cases use
    import torch.nn.functional as F  # noqa: F401

    found = {}
    for case in CASES:
        scope = {name: torch.tensor(value, requires_grad=True) for name, value in case.inputs.items()}
        inputs = list(scope.values())
        scope.update({name: torch.tensor(value) for name, value in case.constants.items()}, torch=torch, F=F)
        result = eval(case.torch, scope)
        gradients = torch.autograd.grad(result, inputs, torch.tensor(weights(result.numel())).reshape(result.shape), allow_unused=True)
        texts = {name: " ".join(str(g) for g in gradient.flatten().tolist()) for name, gradient in zip(case.inputs, gradients)}
        found[case.name] = {"results": result.numel(), "gradients": texts}
    print("{\n" + ",\n".join(f"  {json.dumps(name)}: {json.dumps(case)}" for name, case in found.items()) + "\n}")


def expected(case, name):
    text = known()[case.name]["gradients"][name]
    return np.array(case.instead.get(name, text.split()), np.float64)


@functools.cache
def known():
    with open(VALUES) as file:
        return json.load(file)


class Model:
    def __init__(self, dtype):
        from onnx import TensorProto, helper, numpy_helper
        self.helper, self.tensor_of, self.dtype, self.nodes, self.variables = helper, numpy_helper.from_array, dtype, [], []
        self.float = TensorProto.DOUBLE if dtype == np.float64 else TensorProto.FLOAT

    def add(self, operator, inputs, output, **attributes):
        domain, _, operator = operator.rpartition(".")
        outputs = output.split()
        self.nodes.append(self.helper.make_node(operator, inputs, outputs, name=outputs[0], domain=domain, **attributes))
        return outputs[0]

    def constant(self, name, value):
        value = np.asarray(value)
        value = value.astype(self.dtype) if value.dtype == np.float64 else value
        return self.add("Constant", [], name, value=self.tensor_of(value))

    def add_case(self, index, case):
        """The sum of the results, each times a weight of its own."""
        def own(name):
            return f"{index}.{name}" if name else ""
        for name, point in case.inputs.items():
            self.variables.append(self.tensor_of(np.full(point.shape, -0.0, self.dtype), own(name) + ".w"))
            self.add("Add", [self.constant(own(name) + ".point", point), own(name) + ".w"], own(name))
        for name, value in case.constants.items():
            self.constant(own(name), value)
        for operator, inputs, output, attributes in case.nodes:
            self.add(operator, [own(name) for name in inputs], " ".join(own(name) for name in output.split()), **attributes)
        flat = self.add("Reshape", [own(case.nodes[-1][2].split()[0]), "line"], own("flattened"))
        factors = self.constant(own("factors"), weights(known()[case.name]["results"]))
        return self.add("ReduceSum", [self.add("Mul", [flat, factors], own("weighted"))], own("total"), keepdims=0)


def write(folder, dtype):
    import onnx
    os.makedirs(folder, exist_ok=True)
    model = Model(dtype)
    model.constant("line", np.array([-1]))
    sums = [model.add_case(index, case) for index, case in enumerate(CASES)]
    model.add("Sum", [model.add("ReduceMean", ["x"], "mean", keepdims=0), *sums], "loss")
    graph = model.helper.make_graph(model.nodes, "edges", [model.helper.make_tensor_value_info("x", model.float, ["N", 1])],
                                    [model.helper.make_tensor_value_info("loss", model.float, [])], model.variables)
    opsets = [model.helper.make_opsetid("", 17), model.helper.make_opsetid("com.microsoft", 1)]
    onnx.save(model.helper.make_model(graph, opset_imports=opsets, ir_version=8), os.path.join(folder, "model.onnx"))
    np.savez(os.path.join(folder, "data.npz"), x=np.zeros((2, 1), dtype))


def check(checkpoint):
    from checkpoint_file import read_checkpoint
    found, wrong = read_checkpoint(checkpoint), 0
    for index, case in enumerate(CASES):
        for name in case.inputs:
            wanted, gradient = expected(case, name), -np.asarray(found[f"{index}.{name}.w"], np.float64).ravel()
            if not np.allclose(gradient, wanted, rtol=2e-6, atol=case.slack, equal_nan=True):
                wrong += 1
                print(f"{case.name}: the gradient of {name} is\n  {gradient}, expected\n  {wanted}")
    print(f"{wrong} gradients differ")
    sys.exit(1 if wrong else 0)


def cover(folder):
    covered = set(WITHOUT_EDGES).union(*(case.operators() for case in CASES))
    named = {operator for file in sorted(os.listdir(folder)) if file.endswith(".mlir")
             for operator in re.findall(r"= onnx\.(\w+)", open(os.path.join(folder, file)).read())}
    missing = sorted(named - covered)
    print(f"{len(named)} operators, {len(missing)} without a case: {' '.join(missing)}")
    sys.exit(1 if missing or not named else 0)


if __name__ == "__main__":
    {"values": values, "check": check, "cover": cover,
     "write": lambda folder, dtype="f32": write(folder, np.float64 if dtype == "f64" else np.float32)}[sys.argv[1]](*sys.argv[2:])
