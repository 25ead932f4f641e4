"""Writes the ONNX graph of a family node by node, in the operator forms that torch.onnx.export writes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import zlib

import numpy as np
from onnx import TensorProto, helper, numpy_helper

LAST_INDEX = 2**63 - 1  # "to the end" of a Slice
IR_VERSIONS = ((20, 9), (15, 8), (13, 7))  # the first operator set of each


def drawn(name, shape, scale, seed):
    """Normal numbers of one tensor: they depend on its name and the seed, not on what else the model has."""
    random = np.random.RandomState([seed, zlib.crc32(name.encode())])
    return (random.standard_normal(shape) * scale).astype(np.float32)


class Weight:
    """A parameter: its name, shape, and how its values are made when they are needed."""

    def __init__(self, name, shape, make):
        self.name = name
        self.shape = tuple(shape)
        self.make = make

    def bytes(self):
        return 4 * int(np.prod(self.shape))


class GraphWriter:
    """Collects nodes and weights in the order in which they are added.

    batch: a number, or None for the symbol `batch`. Sizes are numbers, or (tensor, axis) for what varies; those are
    read from the tensor by Shape and Gather, as an export does it.
    """

    def __init__(self, opset=17, batch=None, seed=0):
        self.opset = opset
        self.batch = batch
        self.seed = seed
        self.nodes = []
        self.weights = []
        self.inputs = []
        self.outputs = []
        self._count = {}

    # Values

    def input(self, name, element_type, *shape):
        self.inputs.append(helper.make_tensor_value_info(name, element_type, [self.batch or "batch", *shape]))
        return name

    def output(self, name, *shape):
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def batch_of(self, tensor):
        """The batch as a size: a number if it is fixed, else axis 0 of a tensor."""
        return self.batch or (tensor, 0)

    def normal(self, name, shape, scale=0.02):
        return self._weight(name, shape, lambda: drawn(name, shape, scale, self.seed))

    def filled(self, name, shape, value):
        return self._weight(name, shape, lambda: np.full(shape, value, np.float32))

    def _weight(self, name, shape, make):
        self.weights.append(Weight(name, shape, make))
        return name

    def buffer(self, name, value):
        """An initializer of whole numbers or truth values: an export keeps such buffers beside the parameters."""
        assert value.dtype.kind != "f", "a float buffer would be taken for a parameter"
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def constant(self, value, dtype=np.float32):
        tensor = numpy_helper.from_array(np.asarray(value, dtype))
        return self("Constant", value=tensor)

    # Nodes

    def __call__(self, op, *inputs, scope="", outputs=1, result=None, **attributes):
        """Adds a node; returns its output, or a list of `outputs` of them. Its name is scope/Op_N, as an export names it."""
        base = f"{scope}/{op}" if scope else f"/{op}"
        number = self._count.get(base, 0)
        self._count[base] = number + 1
        name = f"{base}_{number}" if number else base
        results = [result] if result else [f"{name}_output_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), results, name=name, **attributes))
        return results[0] if outputs == 1 else results

    def unsqueeze(self, x, axis, scope=""):
        return self("Unsqueeze", x, self.constant([axis], np.int64), scope=scope)

    def slice(self, x, start, end, axis, scope=""):
        parts = [self.constant([v], np.int64) for v in (start, end, axis, 1)]
        return self("Slice", x, *parts, scope=scope)

    def size(self, tensor, axis, scope=""):
        """One size of a tensor as a scalar."""
        return self("Gather", self("Shape", tensor, scope=scope), self.constant(axis, np.int64), axis=0, scope=scope)

    def shape(self, *sizes, scope=""):
        """The vector of these sizes, made of scalars as an export without constant folding makes it."""
        scalars = [self.size(*s, scope=scope) if isinstance(s, tuple) else self.constant(s, np.int64) for s in sizes]
        return self("Concat", *[self.unsqueeze(s, 0, scope) for s in scalars], axis=0, scope=scope)

    def reshape(self, x, *sizes, scope=""):
        return self("Reshape", x, self.shape(*sizes, scope=scope), scope=scope)

    def mean_of_last(self, x, scope="", keepdims=1):
        if self.opset < 18:
            return self("ReduceMean", x, axes=[-1], keepdims=keepdims, scope=scope)
        return self("ReduceMean", x, self.constant([-1], np.int64), keepdims=keepdims, scope=scope)

    # Layers

    def linear(self, x, name, inputs, outputs, bias=True, scale=0.02, result=None):
        """torch.nn.Linear on a tensor of rank 3: Transpose, MatMul, Add."""
        scope = "/" + name.replace(".", "/")
        weight = self.normal(name + ".weight", (outputs, inputs), scale)
        turned = self("Transpose", weight, perm=[1, 0], scope=scope)
        y = self("MatMul", x, turned, scope=scope, result=None if bias else result)
        if not bias:
            return y
        return self("Add", self.filled(name + ".bias", (outputs,), 0.0), y, scope=scope, result=result)

    def gemm(self, x, name, inputs, outputs, scale=0.02, **named):
        """torch.nn.Linear on a matrix."""
        weight = self.normal(name + ".weight", (outputs, inputs), scale)
        bias = self.filled(name + ".bias", (outputs,), 0.0)
        return self("Gemm", x, weight, bias, alpha=1.0, beta=1.0, transB=1, scope="/" + name.replace(".", "/"), **named)

    def layer_normalization(self, x, name, size, epsilon):
        """The operator, or before operator set 17 what an export writes for it."""
        scope = "/" + name.replace(".", "/")
        scale, bias = self.filled(name + ".weight", (size,), 1.0), self.filled(name + ".bias", (size,), 0.0)
        if self.opset >= 17:
            return self("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon, scope=scope)
        centred = self("Sub", x, self.mean_of_last(x, scope), scope=scope)
        square = self("Pow", centred, self.constant(2.0), scope=scope)
        variance = self("Add", self.mean_of_last(square, scope), self.constant(epsilon), scope=scope)
        unit = self("Div", centred, self("Sqrt", variance, scope=scope), scope=scope)
        return self("Add", self("Mul", unit, scale, scope=scope), bias, scope=scope)

    def dropout(self, x, ratio, scope=""):
        """Opset 13 and later: ratio and mode are constant scalars; no node for a ratio of 0."""
        if not ratio:
            return x
        return self("Dropout", x, self.constant(ratio), self.constant(True, np.bool_), outputs=2, scope=scope)[0]

    def cross_entropy(self, scores, labels, classes, result="loss"):
        """Mean cross entropy of scores [..., classes]; labels of -100 do not count."""
        rows = self.reshape(scores, -1, classes)
        return self("SoftmaxCrossEntropyLoss", rows, self.reshape(labels, -1), ignore_index=-100, reduction="mean",
                    result=result)

    def next_token_loss(self, scores, labels, vocabulary):
        """Position t is scored by the token at t + 1; the last position has none."""
        before = self.slice(scores, 0, -1, 1)
        return self.cross_entropy(before, self.slice(labels, 1, LAST_INDEX, 1), vocabulary)

    # Files

    def proto(self, name):
        """The model without its weights: those are graph.weights, and buffers are in already."""
        graph = helper.make_graph(self.nodes, name, self.inputs, self.outputs)
        ir_version = next((ir for opset, ir in IR_VERSIONS if self.opset >= opset), 6)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=ir_version,
                                 producer_name="tutti-test-models")

    def parameters(self):
        return [w for w in self.weights if isinstance(w, Weight)]

    def model(self, name):
        """The model with its weights inside."""
        proto = self.proto(name)
        for weight in self.weights:
            made = numpy_helper.from_array(weight.make(), weight.name) if isinstance(weight, Weight) else weight
            proto.graph.initializer.append(made)
        return proto

    def external_model(self, name, location):
        """The model whose weights are said to be in the file `location` beside it, each at a multiple of 64 bytes."""
        proto, offset = self.proto(name), 0
        for weight in self.weights:
            if not isinstance(weight, Weight):
                proto.graph.initializer.append(weight)
                continue
            tensor = proto.graph.initializer.add(name=weight.name, data_type=TensorProto.FLOAT, dims=weight.shape,
                                                 data_location=TensorProto.EXTERNAL)
            for key, value in (("location", location), ("offset", offset), ("length", weight.bytes())):
                tensor.external_data.add(key=key, value=str(value))
            offset = (offset + weight.bytes() + 63) // 64 * 64
        return proto

    def write_weights(self, path):
        """What external_model says: one weight after the other, so that only one is in memory."""
        with open(path, "wb") as file:
            for weight in self.parameters():
                file.write(b"\0" * (-file.tell() % 64))
                file.write(weight.make().astype("<f4").tobytes())


def write_model(writer, name, path, weights):
    """Writes the file; weights: `inside`, `beside` (in path.data) or `none` (as beside, but without that file)."""
    if weights == "inside":
        model = writer.model(name)
    else:
        location = os.path.basename(path) + ".data"
        model = writer.external_model(name, location)
        if weights == "beside":
            writer.write_weights(path + ".data")
    with open(path, "wb") as file:
        file.write(model.SerializeToString(deterministic=True))
