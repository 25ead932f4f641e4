"""Models that must be refused, in groups. `python broken_models.py GROUP DIST_OPT...` runs the tool on each and prints
its name and the first error line; it fails when a model is accepted or the tool crashes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto, helper

from good_models import adagrad_phase, batch_normalization, gradient, linear_with_loss
from onnx_pieces import FLOAT, INT64, TRAINING, floats, graph, ints, model, node, one_node, raw, tensor, training_info, \
    value


def with_tensor(one):
    return one_node("Add", "x w", "y", ("N", 2), [one], ("N", 2))


def with_input(info):
    return model([node("Relu", "x", "y")], [info], [value("y", ["N"])])


def sequence():
    return with_input(helper.make_tensor_sequence_value_info("x", FLOAT, ["N"]))


def no_shape():
    info = value("x")
    info.type.tensor_type.ClearField("shape")
    return with_input(info)


def without_graph():
    result = one_node("Relu", "x", "y")
    result.ClearField("graph")
    return result


def sparse():
    result = one_node("Relu", "x", "y")
    entry = result.graph.sparse_initializer.add()
    entry.values.name = "s"
    return result


def subgraph():
    branch = graph([node("Relu", "x", "b")], [], [value("b", ["N", 4])])
    return one_node("If", "x", "y", then_branch=branch, else_branch=branch)


def sparse_attribute():
    result = one_node("Swirl", "x", "y", domain="com.acme")
    attribute = result.graph.node[0].attribute.add()
    attribute.name, attribute.type = "table", 11
    return result


def changed_attribute(change):
    result = one_node("Swirl", "x", "y", domain="com.acme", turns=3)
    change(result.graph.node[0].attribute)
    return result


def reference(attributes):
    attributes[0].ref_attr_name = "turns"


def model_function():
    result = one_node("Twice", "x", "y", domain="mine")
    result.functions.append(helper.make_function("mine", "Twice", ["a"], ["b"], [node("Add", "a c", "b")],
                                                 [helper.make_opsetid("", 17)]))
    return result


def typed(element_type, **lists):
    result = raw(data=None, element_type=element_type)
    for name, values in lists.items():
        getattr(result, name).extend(values)
    return with_tensor(result)


def segment():
    result = raw()
    result.segment.begin = 0
    return with_tensor(result)


FILES = {
    "no-graph": without_graph,
    "old-opset": lambda: one_node("Relu", "x", "y", opset=5),
    "new-opset": lambda: one_node("Relu", "x", "y", opset=25),
    "no-opset": lambda: helper.make_model(graph([node("Relu", "x", "y")], [value("x", [2])], [value("y", [2])]),
                                          opset_imports=[helper.make_opsetid("com.acme", 1)]),
    "no-outputs": lambda: model([node("Relu", "x", "y")], [value("x", [2])], []),
    "sequence": sequence,
    "string-input": lambda: with_input(value("x", ["N"], TensorProto.STRING)),
    "no-shape": no_shape,
    "negative-input": lambda: with_input(value("x", [-2])),
    "rank-65": lambda: with_input(value("x", ["N"] * 65)),
    "unnamed-input": lambda: with_input(value("", ["N"])),
    "two-inputs-x": lambda: model([node("Relu", "x", "y")], [value("x", [2]), value("x", [2])], [value("y", [2])]),
    "unnamed-initializer": lambda: with_tensor(raw("")),
    "two-initializers-w": lambda: one_node("Add", "x w", "y", initializers=[floats("w", 4), floats("w", 4)]),
    "sparse-initializer": sparse,
}

NODES = {
    "undefined": lambda: one_node("Add", "x ghost", "y"),
    "undefined-output": lambda: one_node("Relu", "x", "z"),
    "twice": lambda: model([node("Relu", "x", "y", "first"), node("Neg", "x", "y", "second")], [value("x", ["N"])],
                           [value("y", ["N"])]),
    "redefines-input": lambda: one_node("Relu", "x", "x"),
    "cycle": lambda: model([node("Add", "x b", "a", "one"), node("Relu", "a", "b", "two"), node("Neg", "b", "y")],
                           [value("x", ["N"])], [value("y", ["N"])]),
    "unnamed-node": lambda: model([helper.make_node("Add", ["x", "ghost"], ["y"])], [value("x", ["N"])],
                                  [value("y", ["N"])]),
    "no-operands": lambda: one_node("Relu", "", "y"),
    "absent-operand": lambda: one_node("Add", "- x", "y"),
    "unknown-attribute": lambda: one_node("Relu", "x", "y", slope=1.0),
    "attribute-kind": lambda: one_node("Flatten", "x", "y", axis="one"),
    "subgraph": subgraph,
    "subgraph-of-another": lambda: one_node("Swirl", "x", "y", domain="com.acme", body=graph([], [], [])),
    "sparse-attribute": sparse_attribute,
    "reference": lambda: changed_attribute(reference),
    "attribute-twice": lambda: changed_attribute(lambda attributes: attributes.append(attributes[0])),
    "unnamed-attribute": lambda: changed_attribute(lambda attributes: attributes[0].ClearField("name")),
    "model-function": model_function,
    "unknown-without-type": lambda: model([node("Swirl", "x", "h", domain="com.acme"), node("Relu", "h", "y")],
                                          [value("x", ["N"])], [value("y", ["N"])], domains=["com.acme"]),
    "second-result": lambda: model([node("MaxPool", "x", "y i", kernel_shape=[2, 2]), node("Cast", "i", "z", to=FLOAT)],
                                   [value("x", ["N", 1, "H", 4])], [value("z", ["N", 1, "K", 3])]),
    "inference": lambda: one_node("MatMul", "x w", "y", initializers=[floats("w", 5, 4)]),
}

FORMS = {
    "reshape-variable": lambda: model([node("Reshape", "x s", "y")], [value("x", ["N", 4]), value("s", [2], INT64)],
                                      [value("y", ["N", 4])]),
    "reshape-scalar": lambda: one_node("Reshape", "x s", "y", initializers=[tensor("s", np.int64(4))]),
    "reshape-two-vary": lambda: model([node("Shape", "x", "n", end=1), node("Concat", "n n", "s", axis=0),
                                       node("Reshape", "x s", "y")], [value("x", ["N", "M"])], [value("y", ["N", "M"])]),
    "spatial": lambda: batch_normalization(7, "y", spatial=0),
    "cast-string": lambda: one_node("Cast", "x", "y", to=TensorProto.STRING),
    "random-negative": lambda: model([node("RandomNormal", "", "y", shape=[-2])], [], [value("y", [2])]),
    "constant-twice": lambda: model([node("Constant", "", "y", value_int=1, value_float=2.0)], [], [value("y")]),
    "constant-string": lambda: model([node("Constant", "", "y", value_string="text")], [], [value("y")]),
    "constant-of-shape": lambda: model([node("ConstantOfShape", "s", "y")], [value("s", [1], INT64)], [value("y", ["N"])]),
    "constant-of-shape-two": lambda: model([node("ConstantOfShape", "s", "y", value=ints("v", 1, 2))], [],
                                           [value("y", [2], INT64)], [ints("s", 2)]),
    "constant-of-shape-negative": lambda: model([node("ConstantOfShape", "s", "y")], [], [value("y", [2])],
                                                [ints("s", -2)]),
    "softmax-axis": lambda: one_node("Softmax", "x", "y", opset=11, axis=7),
}

TENSORS = {
    "negative": lambda: with_tensor(raw(dims=[-2, 2])),
    "overflow": lambda: with_tensor(raw(dims=[1 << 40, 1 << 40])),
    "rank-65": lambda: with_tensor(raw(dims=[1] * 65)),
    "string": lambda: with_tensor(raw(element_type=TensorProto.STRING)),
    "type-99": lambda: with_tensor(raw(element_type=99)),
    "short": lambda: with_tensor(raw(data=b"\0" * 15)),
    "long": lambda: with_tensor(raw(data=b"\0" * 17)),
    "nothing": lambda: with_tensor(raw(data=None)),
    "typed-short": lambda: typed(FLOAT, float_data=[1, 2, 3]),
    "typed-odd": lambda: typed(TensorProto.COMPLEX64, float_data=[1] * 7),
    "typed-range": lambda: typed(TensorProto.INT8, int32_data=[1, 2, 3, 300]),
    "typed-wrong-list": lambda: typed(INT64, float_data=[1, 2, 3, 4]),
    "segment": segment,
}


def training(change=lambda algorithm: None, updates=(("w", "w.new"), ("w.sum", "w.sum.new")), start=None, initials=()):
    """The Adagrad model with something changed."""
    result, algorithm = linear_with_loss(), adagrad_phase()
    change(algorithm)
    result.training_info.append(training_info(algorithm, updates, start, initials))
    return result


def set_attribute(index, name, attribute):
    """Sets an attribute of a node of the algorithm; None removes it."""
    def change(algorithm):
        attributes = algorithm.node[index].attribute
        for position, one in enumerate(attributes):
            if one.name == name:
                del attributes[position]
                break
        if attribute is not None:
            attributes.append(helper.make_attribute(name, attribute))
    return change


def set_input(node_index, index, name):
    def change(algorithm):
        algorithm.node[node_index].input[index] = name
    return change


def replace_node(index, one):
    def change(algorithm):
        algorithm.node[index].CopyFrom(one)
    return change


def add_initializer(one):
    return lambda algorithm: algorithm.initializer.append(one)


def set_initializer(index, one):
    def change(algorithm):
        algorithm.initializer[index].CopyFrom(one)
    return change


def start_graph(shape=(2, 3), inputs=()):
    return graph([node("RandomNormal", "", "w0", "draw", shape=list(shape))], inputs, [value("w0", shape)], name="start")


MOMENTUM = {"domain": TRAINING, "alpha": 0.5, "beta": 1.0, "norm_coefficient": 0.0}

TRAINING_INFO = {
    "no-updates": lambda: training(updates=[]),
    "update-twice": lambda: training(updates=[("w", "w.new"), ("w", "w.new")]),
    "update-unknown-key": lambda: training(updates=[("ghost", "w.new")]),
    "update-unknown-value": lambda: training(updates=[("w", "w.grad")]),
    "update-type": lambda: training(updates=[("w", "loss"), ("w.sum", "w.sum.new")]),
    "initial-twice": lambda: training(start=start_graph(), initials=[("w", "w0"), ("w", "w0")]),
    "initial-unknown-key": lambda: training(start=start_graph(), initials=[("ghost", "w0")]),
    "initial-unknown-value": lambda: training(start=start_graph(), initials=[("w", "ghost")]),
    "initial-type": lambda: training(start=start_graph((3, 2)), initials=[("w", "w0")]),
    "initial-inputs": lambda: training(start=start_graph(inputs=[value("x", [1])])),
    "name-clash": lambda: training(add_initializer(floats("w", 2, 3))),
    "rate-vector": lambda: training(set_initializer(0, floats("R", 2))),
    "rate-int": lambda: training(set_initializer(0, tensor("R", np.int64(1)))),
    "step-vector": lambda: training(set_initializer(1, ints("T", 1, 2))),
    "step-float": lambda: training(set_initializer(1, tensor("T", np.float32(1)))),
}

TRAINING_NODES = {
    "unknown-op": lambda: training(replace_node(1, node("Lion", "w", "w.new w.sum.new", domain=TRAINING))),
    "operand-count": lambda: training(replace_node(1, node("Adagrad", "R T w w.grad", "w.new w.sum.new", domain=TRAINING))),
    "missing-operand": lambda: training(set_input(1, 4, "")),
    "state-type": lambda: training(set_initializer(2, floats("w.sum", 3))),
    "attribute-unknown": lambda: training(set_attribute(1, "speed", 1.0)),
    "attribute-kind": lambda: training(set_attribute(1, "epsilon", 1)),
    "mode": lambda: training(replace_node(1, node("Momentum", "R T w w.grad w.sum", "w.new w.sum.new", mode="fast",
                                                  **MOMENTUM))),
    "mode-missing": lambda: training(replace_node(1, node("Momentum", "R T w w.grad w.sum", "w.new w.sum.new",
                                                          **MOMENTUM))),
    "gradient-no-xs": lambda: training(set_attribute(0, "xs", None)),
    "gradient-no-y": lambda: training(set_attribute(0, "y", None)),
    "gradient-inputs": lambda: training(replace_node(0, gradient(inputs="w x"))),
    "gradient-outputs": lambda: training(replace_node(0, gradient(outputs="w.grad more"))),
    "gradient-unknown": lambda: training(set_attribute(0, "zs", ["x", "ghost"])),
    "gradient-int-y": lambda: training(set_attribute(0, "y", "T")),
    "gradient-int-x": lambda: training(replace_node(0, gradient(inputs="T x t", xs=["T"]))),
    "gradient-type": lambda: training(replace_node(0, gradient(inputs="x x t"))),
}

GROUPS = {"files": FILES, "nodes": NODES, "forms": FORMS, "tensors": TENSORS, "training-info": TRAINING_INFO,
          "training-nodes": TRAINING_NODES}


def main():
    group, command = GROUPS[sys.argv[1]], sys.argv[2:]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, make in group.items():
            path = os.path.join(folder, "m.onnx")
            with open(path, "wb") as file:
                file.write(make().SerializeToString())
            done = subprocess.run(command + [path], capture_output=True, text=True, check=False)
            lines = [line.split("error: ", 1)[1] for line in done.stderr.splitlines() if "error: " in line]
            failures += done.returncode != 1 or not lines
            print(f"{name}: {lines[0] if lines else 'status %d %s' % (done.returncode, done.stderr)}")
    return failures


if __name__ == "__main__":
    sys.exit(main())
