"""Short ways to write small ONNX models, valid or broken: nothing is checked here."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
TRAINING = "ai.onnx.preview.training"


def value(name, shape=(), element_type=FLOAT):
    return helper.make_tensor_value_info(name, element_type, shape)


def node(op, inputs, outputs, name=None, **attributes):
    """Names of inputs and outputs are separated by blanks; '-' is an absent input."""
    names = [["" if name == "-" else name for name in text.split()] for text in (inputs, outputs)]
    return helper.make_node(op, *names, name=name or op.lower(), **attributes)


def tensor(name, array, element_type=None):
    """A tensor from an array; element_type overrides what the array says."""
    result = numpy_helper.from_array(np.asarray(array), name)
    if element_type is not None:
        result.data_type = element_type
    return result


def floats(name, *shape):
    """0, 1, 2, ... as f32."""
    return tensor(name, np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape))


def ints(name, *values):
    return tensor(name, np.array(values, np.int64))


def raw(name="w", dims=(2, 2), data=b"\0" * 16, element_type=FLOAT, **fields):
    """A tensor that says about itself what it is told to."""
    result = TensorProto(name=name, data_type=element_type, **fields)
    result.dims.extend(dims)
    if data is not None:
        result.raw_data = data
    return result


def graph(nodes, inputs=(), outputs=(), initializers=(), name="graph"):
    return helper.make_graph(list(nodes), name, list(inputs), list(outputs), initializer=list(initializers))


def model(nodes, inputs=(), outputs=(), initializers=(), opset=17, ir_version=8, domains=()):
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in domains]
    return helper.make_model(graph(nodes, inputs, outputs, initializers), opset_imports=imports,
                             ir_version=ir_version)


def one_node(op, inputs, outputs, shape=("N", 4), initializers=(), result=("N", 4), opset=17, **attributes):
    """A model of one node that takes x and makes y."""
    return model([node(op, inputs, outputs, **attributes)], [value("x", shape)], [value("y", result)], initializers,
                 opset=opset)


def training_info(algorithm, updates, initialization=None, initials=()):
    return helper.make_training_info(algorithm, list(updates), initialization, list(initials))
