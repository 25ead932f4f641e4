"""The forms in which exporters other than PyTorch's write graphs: names, layouts, patterns of nodes.

A form is a function that adds nodes to a Form; form() registers it. The models are ours, only the manner is theirs.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import importlib
import zlib

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import samples

KINDS = ("older_forms", "tf2onnx_forms", "paddle2onnx_forms", "dynamo_forms", "other_forms")
ELEMENTS = {"f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE, "f16": TensorProto.FLOAT16, "i64": TensorProto.INT64, "i32": TensorProto.INT32,
            "u8": TensorProto.UINT8, "bool": TensorProto.BOOL}
PRODUCERS = {"tf2onnx": ("tf2onnx", "1.16.1"), "paddle2onnx": ("PaddlePaddle", ""), "dynamo": ("pytorch", "2.7.0")}
_FORMS = {}


class Form:
    """A graph that is written node by node.

    inputs: how samples are made (samples.make), by the name of the array; trained: the variables that training moves, by the name of the
    initializer. rounding: how many times that of f32 is expected;
    recipe: further keys.
    """

    def __init__(self, name, exporter, opset, loss, ir_version=8, batch_name="batch", initializers_are_inputs=False, opsets=(), batch=samples.BATCH):
        self.name, self.exporter, self.opset, self.loss, self.ir_version = name, exporter, opset, loss, ir_version
        self.batch_name, self.initializers_are_inputs, self.opsets, self.batch = batch_name, initializers_are_inputs, opsets, batch
        self.nodes, self.initializers, self.graph_inputs, self.outputs, self.functions, self.declared = [], [], [], [], [], []
        self.inputs, self.bound, self.flags, self.trained, self.rounding, self.refused, self._count = {}, {}, [], [], 1, None, {}
        self.recipe = ""

    def input(self, name, element, kind, *shape, array=None, dims=None):
        """A graph input, and the array that it is bound to; of the same name unless `array` is given."""
        self.inputs[array or name] = [element, kind, *shape]
        self.bound[name] = array or name
        if array:
            self.flags += ["--bind", f"{name}={array}"]
        self.graph_inputs.append(self.value(name, element, [self.batch_name, *shape] if dims is None else dims))
        return name

    @staticmethod
    def value(name, element, dims):
        return helper.make_tensor_value_info(name, ELEMENTS[element], dims)

    def label(self, element, kind, *shape):
        """Of a recipe that has the loss: an array without a graph input."""
        self.inputs["label"] = [element, kind, *shape]

    def output(self, name, element="f32", dims=None):
        self.outputs.append(self.value(name, element, dims))
        return name

    def values_of(self, name, shape, scale=0.3):
        random = np.random.RandomState(zlib.crc32(f"{self.name} {name}".encode()))
        return (random.standard_normal(shape) * scale).astype(np.float32)

    def weight(self, name, *shape, scale=0.3, value=None, element=np.float32, trained=True):
        """A trained initializer: normal numbers, or a value that fills it."""
        array = self.values_of(name, shape, scale) if value is None else np.full(shape, value, np.float32)
        return self.tensor(name, array.astype(element), trained=trained)

    def tensor(self, name, array, trained=False):
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        if trained:
            self.trained.append(name)
        return name

    def constant(self, value, element=np.int64, name=None, **node):
        """A Constant node."""
        name = name or self.fresh("Constant")
        tensor = numpy_helper.from_array(np.asarray(value, element), name)
        self.nodes.append(helper.make_node("Constant", [], [name], value=tensor, **node))
        return name

    def fresh(self, base):
        self._count[base] = self._count.get(base, 0) + 1
        return f"{base}_{self._count[base] - 1}"

    def __call__(self, op, *inputs, out=None, outs=None, name=None, **attributes):
        """Adds a node; returns its output, or all of `outs`."""
        results = outs or [out or self.fresh(f"{op}.out")]
        self.nodes.append(helper.make_node(op, list(inputs), results, name=self.fresh(op) if name is None else name, **attributes))
        return results if outs else results[0]

    def refuse(self, text):
        """Nothing is trained: the model is refused, with this text."""
        self.trained, self.refused = [], text

    def model(self):
        listed = list(self.graph_inputs)
        if self.initializers_are_inputs:
            listed += [helper.make_tensor_value_info(t.name, t.data_type, list(t.dims)) for t in self.initializers]
        graph = helper.make_graph(self.nodes, self.name, listed, self.outputs, self.initializers, value_info=self.declared)
        opsets = [helper.make_opsetid("", self.opset), *(helper.make_opsetid(domain, version) for domain, version in self.opsets)]
        producer, version = PRODUCERS.get(self.exporter.split()[0], (self.exporter.split()[0], ""))
        return helper.make_model(graph, opset_imports=opsets, ir_version=self.ir_version, producer_name=producer, producer_version=version,
                                 functions=self.functions)

    def bytes(self):
        return self.model().SerializeToString(deterministic=True)


def form(exporter, opset, loss, **settings):
    """Registers a function that writes a form."""
    def register(write):
        _FORMS[write.__name__] = (write, exporter, opset, loss, settings)
        return write
    return register


def all_forms():
    for kind in KINDS:
        importlib.import_module(kind)
    made = {}
    for name, (write, exporter, opset, loss, settings) in _FORMS.items():
        made[name] = Form(name, exporter, opset, loss, **settings)
        write(made[name])
    return made
