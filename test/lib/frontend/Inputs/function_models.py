"""Small models with functions and subgraphs. `python function_models.py NAME FILE` writes one."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

import numpy as np
from onnx import AttributeProto, TensorProto, helper

from onnx_pieces import BOOL, INT64, floats, graph, ints, model, node, tensor, value

TORCH, TORCHLIB, COMMON = "pkg.torch.2.6.0", "pkg.onnxscript.torch_lib", "pkg.onnxscript.torch_lib.common"


def reference(name, of, kind):
    """An attribute of a node in a function that has the value of attribute `of` of the call."""
    return AttributeProto(name=name, ref_attr_name=of, type=kind)


def function(domain, name, inputs, outputs, nodes, attributes=(), opset=18, domains=()):
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(other, 1) for other in domains]
    return helper.make_function(domain, name, inputs.split(), outputs.split(), nodes, imports, list(attributes))


def field(number, content):
    """A field of a protocol buffer that is younger than this onnx package."""
    key = number << 3 | 2
    assert key < 128 and len(content) < 128
    return bytes([key, len(content)]) + content


def with_field(message, number, content):
    """The message with a field that its class does not know."""
    result = type(message)()
    result.ParseFromString(message.SerializeToString() + field(number, content))
    return result


def with_default(made, **defaults):
    """The function with attribute_proto, the attributes that have a default (ONNX 1.13)."""
    for name, default in defaults.items():
        made = with_field(made, 11, helper.make_attribute(name, default).SerializeToString())
    return made


def with_functions(made, functions):
    made.functions.extend(functions)
    for domain in {one.domain for one in functions}:
        made.opset_import.append(helper.make_opsetid(domain, 1))
    return made


def softmax():
    """Softmax as a function, the axis by attribute or by default, as torch_lib has it."""
    made = function(TORCHLIB, "aten_softmax", "self", "result", [node("Softmax", "self", "result", "n0")], ["dim"])
    made.node[0].attribute.append(reference("axis", "dim", AttributeProto.INT))
    return with_default(made, dim=0)


def dynamo():
    """As an export by torch.onnx.export(dynamo=True) looks: functions of functions, names with '::' and '/', opset 18."""
    module = function(TORCH, "torch_nn_modules_activation_Softmax_act_1", "linear_1", "softmax",
                      [node("aten_softmax", "linear_1", "h", "aten::softmax/n1", domain=TORCHLIB, dim=1),
                       node("aten_softmax", "h", "softmax", "aten::softmax/n2", domain=TORCHLIB)],
                      domains=[TORCHLIB])
    made = model([node("Gemm", "x fc.weight fc.bias", "val_0", "node_linear_1", transB=1),
                  node(module.name, "val_0", "softmax", "node_act_1", domain=TORCH)],
                 [value("x", ["s77", 4])], [value("softmax", ["s77", 3])],
                 [floats("fc.weight", 3, 4), floats("fc.bias", 3)], opset=18, ir_version=10)
    return with_functions(made, [module, softmax()])


def rank_and_if():
    """torch_lib's IsScalar decides between branches, which is known at import."""
    rank = function(COMMON, "Rank", "input", "return_val",
                    [node("Shape", "input", "shape", "n0"), node("Size", "shape", "return_val", "n1")])
    scalar = function(COMMON, "IsScalar", "input", "return_val",
                      [node("Rank", "input", "rank", "n0", domain=COMMON),
                       node("Constant", "", "zero", "n1", value_int=0),
                       node("Equal", "rank zero", "return_val", "n2")], domains=[COMMON])
    then = graph([node("Identity", "x", "a", "keep")], [], [value("a", ["N", 4])])
    other = graph([node("Mul", "x w", "b", "scale")], [], [value("b", ["N", 4])])
    made = model([node("IsScalar", "x", "c", "n_c", domain=COMMON),
                  node("If", "c", "y", "n_if", then_branch=then, else_branch=other)],
                 [value("x", ["N", 4])], [value("y", ["N", 4])], [floats("w", 4)], opset=18)
    return with_functions(made, [rank, scalar])


def overloads():
    """Two functions that differ in their overload only (ONNX 1.16)."""
    def one(op, overload):
        return with_field(function(TORCH, "f", "a", "b", [node(op, "a", "b", "n0")]), 13, overload)

    def call(inputs, outputs, overload):
        return with_field(node("f", inputs, outputs, "call_" + outputs, domain=TORCH), 8, overload)

    made = model([call("x", "h", b"first"), call("h", "y", b"second")], [value("x", ["N", 4])],
                 [value("y", ["N", 4])], opset=18)
    return with_functions(made, [one("Relu", b"first"), one("Exp", b"second")])


def optional_input():
    """The call leaves out the last input; in the body it is absent too."""
    body = function(TORCH, "linear", "x w b", "y", [node("Gemm", "x w b", "y", "n0")])
    made = model([node("linear", "x w", "y", "call", domain=TORCH)], [value("x", ["N", 4])],
                 [value("y", ["N", 3])], [floats("w", 4, 3)], opset=18)
    return with_functions(made, [body])


def recursion():
    f = function(TORCH, "f", "a", "b", [node("g", "a", "b", "to_g", domain=TORCH)])
    g = function(TORCH, "g", "a", "b", [node("f", "a", "b", "to_f", domain=TORCH)])
    made = model([node("f", "x", "y", "start", domain=TORCH)], [value("x", ["N", 4])], [value("y", ["N", 4])])
    return with_functions(made, [f, g])


def doubling():
    """Thirty functions, each of which calls the next one twice."""
    functions = [function(TORCH, f"f{index}", "a", "b",
                          [node(f"f{index + 1}", "a", "h", "n0", domain=TORCH),
                           node(f"f{index + 1}", "h", "b", "n1", domain=TORCH)]) for index in range(30)]
    functions.append(function(TORCH, "f30", "a", "b", [node("Relu", "a", "b", "n0")]))
    made = model([node("f0", "x", "y", "start", domain=TORCH)], [value("x", ["N", 4])], [value("y", ["N", 4])])
    return with_functions(made, functions)


def unknown_inside():
    """A function of a function uses an operator that nobody knows."""
    inner = function(TORCHLIB, "aten_swirl", "a", "b", [node("Swirl", "a", "b", "n7", domain="com.acme")])
    outer = function(TORCH, "layer", "a", "b", [node("aten_swirl", "a", "b", "n3", domain=TORCHLIB)])
    made = model([node("layer", "x", "y", "node_layer_1", domain=TORCH)], [value("x", ["N", 4])],
                 [value("y", ["N", 4])])
    return with_functions(made, [inner, outer])


def twice():
    """Two functions of one name."""
    f = function(TORCH, "f", "a", "b", [node("Relu", "a", "b", "n0")])
    made = model([node("f", "x", "y", "call", domain=TORCH)], [value("x", ["N", 4])], [value("y", ["N", 4])])
    return with_functions(made, [f, f])


def too_many_inputs():
    f = function(TORCH, "f", "a", "b", [node("Relu", "a", "b", "n0")])
    made = model([node("f", "x x", "y", "call", domain=TORCH)], [value("x", ["N", 4])], [value("y", ["N", 4])])
    return with_functions(made, [f])


def broken_inside():
    """The shapes in a body do not fit."""
    f = function(TORCH, "f", "a b", "c", [node("MatMul", "a b", "c", "n0")])
    made = model([node("f", "x x", "y", "call_f", domain=TORCH)], [value("x", [3, 4])], [value("y", [3, 3])])
    return with_functions(made, [f])


def if_constant():
    """A branch within a branch; the condition is an initializer."""
    inner = graph([node("Relu", "h", "i", "inner")], [], [value("i", ["N", 4])])
    then = graph([node("Add", "x w", "h", "outer"), node("If", "c", "t", "deep", then_branch=inner, else_branch=inner)],
                 [], [value("t", ["N", 4])])
    other = graph([node("Exp", "x", "e", "other")], [], [value("e", ["N", 4])])
    return model([node("If", "c", "y", "choose", then_branch=then, else_branch=other)], [value("x", ["N", 4])],
                 [value("y", ["N", 4])], [floats("w", 4), tensor("c", np.array(True))])


def if_of_data():
    branch = graph([node("Relu", "x", "t", "branch")], [], [value("t", ["N", 4])])
    return model([node("If", "c", "y", "choose", then_branch=branch, else_branch=branch)],
                 [value("x", ["N", 4]), value("c", (), BOOL)], [value("y", ["N", 4])])


def loop(trips="trips", condition="-", keep_going=True):
    """h = h * w three times; the scan output keeps each h, and the iteration number ends the loop if it is told to."""
    nodes = [node("Mul", "h_in w", "h_out", "grow"), node("Identity", "h_out", "seen", "look")]
    if keep_going:
        nodes.append(node("Identity", "c_in", "c_out", "go_on"))
    else:
        nodes.append(node("Less", "i one", "c_out", "stop"))
    body = graph(nodes, [value("i", (), INT64), value("c_in", (), BOOL), value("h_in", ["N", 4])],
                 [value("c_out", (), BOOL), value("h_out", ["N", 4]), value("seen", ["N", 4])])
    return model([node("Loop", f"{trips} {condition} x", "y all", "repeat", body=body)],
                 [value("x", ["N", 4]), value("given", (), INT64)], [value("y", ["N", 4]), value("all", [3, "N", 4])],
                 [floats("w", 4), tensor("trips", np.int64(3)), tensor("one", np.int64(1)),
                  tensor("true", np.array(True))])


def scan(steps=3, opset=14, axes=(-1,)):
    """h = h * s + w along the last dimension of x, the last entry first; each h is kept, the last one in front."""
    body = graph([node("Mul", "h_in s", "m", "grow"), node("Add", "m w", "h_out", "move"),
                  node("Identity", "h_out", "seen", "look")],
                 [value("h_in", ["N", 4]), value("s", ["N", 4])], [value("h_out", ["N", 4]), value("seen", ["N", 4])])
    return model([node("Scan", "h x", "y all", "go", body=body, num_scan_inputs=1, scan_input_axes=list(axes),
                       scan_input_directions=[1], scan_output_axes=[1], scan_output_directions=[1])],
                 [value("h", ["N", 4]), value("x", ["N", 4, steps])],
                 [value("y", ["N", 4]), value("all", ["N", steps, 4])], [floats("w", 4)], opset=opset)


def one_call(op, inputs, shapes, outputs, domain="com.microsoft", opset=14, initializers=(), **attributes):
    """A model of one node; every input of `shapes` is an input of the model."""
    made = model([node(op, inputs, outputs, "the_" + op, domain=domain, **attributes)],
                 [value(name, shape) for name, shape in shapes.items()],
                 [value(name, None) for name in outputs.split()], initializers, opset=opset)
    if domain:
        made.opset_import.append(helper.make_opsetid(domain, 1))
    return made


MODELS = {one.__name__.replace("_", "-"): one for one in
          (dynamo, rank_and_if, overloads, optional_input, recursion, doubling, unknown_inside, twice, too_many_inputs,
           broken_inside, if_constant, if_of_data, loop, scan)}
MODELS["loop-that-stops"] = lambda: loop(keep_going=False, condition="true")
MODELS["loop-of-data"] = lambda: loop(trips="given")
MODELS["scan-of-data"] = lambda: scan("T")
MODELS["scan-of-many"] = lambda: scan(5000)
MODELS["scan-that-misfits"] = lambda: scan(axes=(1, 2))
MODELS["layer-norm"] = lambda: one_call("LayerNormalization", "x s b", {"x": ["N", 3, 4]}, "y", "", 17,
                                        [floats("s", 4), floats("b", 4)])
MODELS["layer-norm-of-two"] = lambda: one_call("LayerNormalization", "x s", {"x": ["N", 3, 4]}, "y m i", "", 17,
                                               [floats("s", 3, 4)], axis=1, epsilon=0.5)
MODELS["mish"] = lambda: one_call("Mish", "x", {"x": ["N", 4]}, "y", "", 18)
MODELS["fast-gelu"] = lambda: one_call("FastGelu", "x b", {"x": ["N", 4], "b": [4]}, "y")
MODELS["div-grad"] = lambda: one_call("DivGrad", "g a b", {"g": ["N", 4], "a": ["N", 4], "b": [4]}, "da db")


def main():
    name, path = sys.argv[1:]
    with open(path, "wb") as file:
        file.write(MODELS[name]().SerializeToString())


if __name__ == "__main__":
    main()
