"""Small models that must be imported. `python good_models.py NAME FILE` writes one."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys

import numpy as np
from onnx import TensorProto, helper

from onnx_pieces import BOOL, FLOAT, INT64, TRAINING, floats, graph, ints, model, node, one_node, raw, tensor, \
    training_info, value


def unsorted():
    """The last node comes first; names are as PyTorch writes them."""
    return model([node("Relu", "/fc/Gemm_output_0", "onnx::out:0", "/relu"),
                  node("Gemm", "in.put fc.weight fc.bias", "/fc/Gemm_output_0", "/fc/Gemm")],
                 [value("in.put", ["N", 2])], [value("onnx::out:0", ["N", 3])],
                 [floats("fc.weight", 2, 3), floats("fc.bias", 3)])


def old_inputs():
    """Before IR version 4 every initializer was an input too. The int initializer and the unused one are no variables."""
    return model([node("Gemm", "x w", "h"), node("Reshape", "h shape", "y")],
                 [value("x", ["N", 2]), value("w", [2, 4]), value("shape", [2], INT64)], [value("y", ["N", 4])],
                 [floats("w", 2, 4), ints("shape", -1, 4), floats("unused", 2)], ir_version=3)


def classes():
    """Which initializers are trainable, which are other, which are constants."""
    statistics = [floats("bn." + part, 4) for part in ("scale", "bias", "mean", "var")]
    nodes = [node("BatchNormalization", "x bn.scale bn.bias bn.mean bn.var", "n"), node("Mul", "n temperature", "m"),
             node("Pow", "m exponent", "p"), node("Dropout", "p ratio", "y")]
    return model(nodes, [value("x", ["N", 4])], [value("y", ["N", 4])],
                 statistics + [tensor("temperature", np.float32(2)), tensor("exponent", np.float32(3)),
                               tensor("ratio", np.float32(0.25))])


def element_types_raw():
    """One constant of each type, from raw data."""
    arrays = {"f32": np.float32([1.5, -2]), "f64": np.float64([1.5, -2]), "f16": np.float16([1.5, -2]),
              "i8": np.int8([-1, 2]), "i16": np.int16([-1, 2]), "i32": np.int32([-1, 2]), "i64": np.int64([-1, 2]),
              "u8": np.uint8([255, 2]), "u16": np.uint16([65535, 2]), "u32": np.uint32([2**32 - 1, 2]),
              "u64": np.uint64([2**64 - 1, 2]), "bool": np.array([True, False]), "c64": np.complex64([1 + 2j, 3])}
    tensors = [tensor(name, array) for name, array in arrays.items()]
    tensors.append(raw("bf16", [2], b"\x80\x3f\x00\xc0", TensorProto.BFLOAT16))
    return constants(tensors)


def constants(tensors):
    """Each tensor as the value of a Constant node, which is an output."""
    nodes = [node("Constant", "", one.name, value=one) for one in tensors]
    outputs = [value(one.name, list(one.dims), one.data_type) for one in tensors]
    return model(nodes, [], outputs)


def element_types_typed():
    """The same types from the typed lists."""
    def typed(name, element_type, values):
        return helper.make_tensor(name, element_type, [2], values)

    tensors = [typed("f32", FLOAT, [1.5, -2]), typed("f64", TensorProto.DOUBLE, [1.5, -2]),
               typed("f16", TensorProto.FLOAT16, np.float16([1.5, -2])), typed("i8", TensorProto.INT8, [-1, 2]),
               typed("i16", TensorProto.INT16, [-1, 2]), typed("i32", TensorProto.INT32, [-1, 2]),
               typed("i64", INT64, [-1, 2]), typed("u8", TensorProto.UINT8, [255, 2]),
               typed("u16", TensorProto.UINT16, [65535, 2]), typed("u32", TensorProto.UINT32, [2**32 - 1, 2]),
               typed("u64", TensorProto.UINT64, [2**64 - 1, 2]), typed("bool", BOOL, [True, False]),
               typed("c64", TensorProto.COMPLEX64, [1 + 2j, 3])]
    return constants(tensors)


def constant_forms():
    """Every attribute that a Constant can have, and tensors without elements or dimensions."""
    nodes = [node("Constant", "", "f", value_float=1.5), node("Constant", "", "i", value_int=7),
             node("Constant", "", "fs", value_floats=[1.0, 2.0]), node("Constant", "", "is", value_ints=[3, 4]),
             node("Constant", "", "empty", value=tensor("t", np.zeros((0, 3), np.float32)))]
    return model(nodes, [], [value("f"), value("i", (), INT64), value("fs", [2]), value("is", [2], INT64),
                             value("empty", [0, 3])])


def large():
    """Above the size that is kept inline: a blob, unless all elements are equal."""
    weights = [floats("counting", 64, 128), tensor("ones", np.ones((128, 64), np.float32))]
    return model([node("MatMul", "x counting", "h"), node("MatMul", "h ones", "y")], [value("x", ["N", 64])],
                 [value("y", ["N", 64])], weights)


def external_data(path):
    """Weights in a file beside the model: one in a blob, a small one inline, one at an odd offset."""
    folder = os.path.dirname(os.path.abspath(path))
    big, small, odd = (np.arange(count, dtype=np.float32) for count in (64 * 128, 4, 128 * 64))
    with open(os.path.join(folder, "weights.bin"), "wb") as file:
        file.write(big.tobytes() + small.tobytes() + b"\0" + odd.tobytes())

    def at(name, dims, offset, length=None):
        result = raw(name, dims, None, data_location=TensorProto.EXTERNAL)
        fields = {"location": "weights.bin", "offset": offset, "length": length, "checksum": "ignored"}
        for key, entry in fields.items():
            if entry is not None:
                result.external_data.add(key=key, value=str(entry))
        return result

    weights = [at("big", [64, 128], 0, big.nbytes), at("odd", [128, 64], big.nbytes + 17), at("small", [4], big.nbytes)]
    return model([node("MatMul", "x big", "h"), node("MatMul", "h odd", "o"), node("Relu", "small", "s")],
                 [value("x", ["N", 64])], [value("o", ["N", 64]), value("s", [4])], weights)


def external_loss(path):
    """A loss whose only parameter lies in a file beside the model."""
    weights = np.arange(64 * 128, dtype=np.float32)
    with open(os.path.join(os.path.dirname(os.path.abspath(path)), "weights.bin"), "wb") as file:
        file.write(weights.tobytes())
    big = raw("big", [64, 128], None, data_location=TensorProto.EXTERNAL)
    big.external_data.add(key="location", value="weights.bin")
    return model([node("MatMul", "x big", "h"), node("ReduceMean", "h", "loss", keepdims=0)],
                 [value("x", ["N", 64])], [value("loss")], [big])


def custom():
    """Operators that the dialect does not have: of another domain, with attributes of every kind; and of ONNX."""
    result = model([node("Swirl", "x - w", "h", "swirl", domain="com.acme", turns=3, angle=0.5, axis="z",
                         weights=[1.0, 2.0], order=[2, 1], labels=["a", "b"], table=floats("table", 2)),
                    node("Multinomial", "h", "y", "swish")],
                   [value("x", ["N", 4])], [value("y", ["N", 4])], [floats("w", 4)], domains=["com.acme"])
    result.graph.value_info.append(value("h", ["N", 4]))
    return result


def shape_arithmetic():
    """x.reshape(x.shape[0], x.shape[1] * x.shape[2]) as PyTorch exports it, and a shape used as a value."""
    nodes = [node("Shape", "x", "s"), node("Gather", "s zero", "n0"), node("Gather", "s one", "c"),
             node("Slice", "s two three", "w"), node("Squeeze", "w axis", "w0"), node("Mul", "c w0", "cw"),
             node("Unsqueeze", "n0 axis", "n1"), node("Unsqueeze", "cw axis", "cw1"),
             node("Concat", "n1 cw1", "shape", axis=0), node("Reshape", "x shape", "y"),
             node("Cast", "cw1", "asfloat", to=FLOAT)]
    integers = [tensor("zero", np.int64(0)), tensor("one", np.int64(1)), ints("two", 2), ints("three", 3),
                ints("axis", 0)]
    return model(nodes, [value("x", ["N", 3, 5])], [value("y", ["N", 15]), value("asfloat", [1])], integers)


FORMS = {
    "squeeze11": lambda: one_node("Squeeze", "x", "y", ("N", 1, 4), opset=11, axes=[1]),
    "squeeze13": lambda: one_node("Squeeze", "x a", "y", ("N", 1, 4), [ints("a", 1)]),
    "squeeze-all": lambda: one_node("Squeeze", "x", "y", (3, 1, 4), result=(3, 4)),
    "unsqueeze11": lambda: one_node("Unsqueeze", "x", "y", opset=11, axes=[1], result=("N", 1, 4)),
    "unsqueeze13": lambda: one_node("Unsqueeze", "x a", "y", initializers=[ints("a", 1)], result=("N", 1, 4)),
    "reducesum11": lambda: one_node("ReduceSum", "x", "y", opset=11, axes=[1], keepdims=0, result=("N",)),
    "reducesum13": lambda: one_node("ReduceSum", "x a", "y", initializers=[ints("a", 1)], keepdims=0, result=("N",)),
    "reducesum-all": lambda: one_node("ReduceSum", "x", "y", keepdims=0, result=()),
    "dropout7": lambda: one_node("Dropout", "x", "y", opset=7, ratio=0.25),
    "dropout12": lambda: one_node("Dropout", "x r t", "y mask", opset=12,
                                  initializers=[tensor("r", np.float32(0.5)), tensor("t", np.array(True))]),
    "dropout13": lambda: one_node("Dropout", "x - t", "y", initializers=[tensor("t", np.array(False))]),
    "softmax11-last": lambda: one_node("Softmax", "x", "y", opset=11),
    "softmax11-middle": lambda: one_node("Softmax", "x", "y", ("N", 3, 5), opset=11, axis=1, result=("N", 3, 5)),
    "softmax13": lambda: one_node("LogSoftmax", "x", "y", ("N", 3, 5), axis=1, result=("N", 3, 5)),
    "cast": lambda: one_node("Cast", "x", "y", to=TensorProto.FLOAT16),
    "ai-onnx": lambda: one_node("Relu", "x", "y", domain="ai.onnx"),
    "reshape-zero": lambda: one_node("Reshape", "x s", "y", initializers=[ints("s", 0, 2, 2)], result=("N", 2, 2)),
    "constant-of-shape": lambda: model([node("ConstantOfShape", "s", "y", value=ints("v", 7))], [],
                                       [value("y", [2, 3], INT64)], [ints("s", 2, 3)]),
    "constant-of-shape-default": lambda: model([node("ConstantOfShape", "s", "y")], [], [value("y", [2])],
                                               [ints("s", 2)]),
    "gemm-no-bias": lambda: one_node("Gemm", "x w", "y", initializers=[floats("w", 4, 4)]),
    "random": lambda: model([node("RandomNormal", "", "y", shape=[2], dtype=TensorProto.DOUBLE, seed=3.0)], [],
                            [value("y", [2], TensorProto.DOUBLE)]),
}


def batch_normalization(opset, outputs, **attributes):
    parts = [floats(part, 4) for part in ("scale", "bias", "mean", "var")]
    return one_node("BatchNormalization", "x scale bias mean var", outputs, initializers=parts, opset=opset,
                    **attributes)


FORMS["batchnorm7"] = lambda: batch_normalization(7, "y")
FORMS["batchnorm9-training"] = lambda: batch_normalization(9, "y m v sm sv", momentum=0.5)
FORMS["batchnorm14-training"] = lambda: batch_normalization(14, "y m v", training_mode=1)


def linear_with_loss(extra_outputs=()):
    """x w -> y; loss = mean((y - t) ^ 2)."""
    return model([node("MatMul", "x w", "y"), node("Sub", "y t", "d"), node("Mul", "d d", "q"),
                  node("ReduceMean", "q", "loss", keepdims=0)],
                 [value("x", ["N", 2]), value("t", ["N", 3])], [value("loss"), value("y", ["N", 3]), *extra_outputs],
                 [floats("w", 2, 3)], domains=[TRAINING])


def gradient(name="gradient", inputs="w x t", outputs="w.grad", domain=TRAINING, **attributes):
    attributes = {"xs": ["w"], "zs": ["x", "t"], "y": "loss", **attributes}
    return node("Gradient", inputs, outputs, name, domain=domain, **attributes)


def adagrad_phase():
    """The learning rate is a vector of one element; T is a constant."""
    return graph([gradient(domain="ai.onnx.preview"),
                  node("Adagrad", "R T w w.grad w.sum", "w.new w.sum.new", "adagrad", domain=TRAINING,
                       decay_factor=0.5, epsilon=1e-5, norm_coefficient=0.25)],
                 [], [value("w.new", [2, 3]), value("w.sum.new", [2, 3])],
                 [tensor("R", np.float32([0.5])), tensor("T", np.int64(0)), floats("w.sum", 2, 3)])


def adagrad():
    result = linear_with_loss()
    result.training_info.append(training_info(adagrad_phase(), [("w", "w.new"), ("w.sum", "w.sum.new")]))
    return result


def adam_groups():
    """One node updates two variables: operands and results are grouped, not interleaved."""
    states = [floats(f"{kind}{part}", 2) for kind in "VH" for part in "12"]
    nodes = [node("Add", "w1 w2", "s"), node("ReduceSum", "s", "loss", keepdims=0)]
    result = model(nodes, [], [value("loss")], [floats("w1", 2), floats("w2", 2), floats("frozen", 2)],
                   domains=[TRAINING])
    algorithm = graph(
        [node("Gradient", "w1 w2", "G1 G2", domain=TRAINING, xs=["w1", "w2"], y="loss"),
         node("Adam", "R T w1 w2 G1 G2 V1 V2 H1 H2", "w1n w2n V1n V2n H1n H2n", "adam", domain=TRAINING, alpha=0.5,
              norm_coefficient_post=0.125)],
        [], [value(name, [2]) for name in ("w1n", "w2n", "V1n", "V2n", "H1n", "H2n")],
        states + [tensor("R", np.float32(0.1)), tensor("T", np.int64(0))])
    updates = [(name, name + "n") for name in ("w1", "w2", "V1", "V2", "H1", "H2")]
    result.training_info.append(training_info(algorithm, updates))
    return result


def nesterov():
    result = linear_with_loss()
    optimizer = node("Momentum", "R T w w.grad v", "w.new v.new", domain=TRAINING, alpha=0.5, beta=0.25,
                     mode="nesterov", norm_coefficient=0.0)
    algorithm = graph([gradient(), optimizer], [], [value("w.new", [2, 3]), value("v.new", [2, 3])],
                      [tensor("R", np.float32(0.5)), tensor("T", np.int64(0)), floats("v", 2, 3)])
    result.training_info.append(training_info(algorithm, [("w", "w.new"), ("v", "v.new")]))
    return result


def gradient_elsewhere():
    """The gradient is taken at 2 w instead of w, so the function is cloned; and with respect to an intermediate."""
    result = linear_with_loss()
    algorithm = graph([node("Add", "w w", "w2"), gradient(inputs="w2 x t"),
                       gradient("by-y", "y t", "y.grad", xs=["y"], zs=["t"]), node("Sub", "w w.grad", "w.new")],
                      [], [value("w.new", [2, 3]), value("y.grad", ["N", 3])])
    result.training_info.append(training_info(algorithm, [("w", "w.new")]))
    return result


def two_phases():
    """The second phase sees what the first one has updated; initialization overrides the initializer of b only."""
    result = model([node("Mul", "a b", "p"), node("ReduceSum", "p", "loss", keepdims=0)], [], [value("loss")],
                   [floats("a", 2), floats("b", 2), floats("c", 2)], domains=[TRAINING])

    def phase(variable, other):
        nodes = [node("Gradient", f"{variable} {other}", f"{variable}.g", f"gradient-{variable}", domain=TRAINING,
                      xs=[variable], zs=[other], y="loss"),
                 node("Sub", f"{variable} {variable}.g", f"{variable}.new", f"move-{variable}")]
        return graph(nodes, [], [value(f"{variable}.new", [2])])

    start = graph([node("RandomNormal", "", "b0", "draw-b", shape=[2], seed=1.0)], [], [value("b0", [2])])
    result.training_info.append(training_info(phase("a", "b"), [("a", "a.new")], start, [("b", "b0")]))
    result.training_info.append(training_info(phase("b", "a"), [("b", "b.new")]))
    return result


def frozen():
    """w is updated, the bias is not: it stays a variable; the scalar factor is a constant."""
    result = model([node("Gemm", "x w bias", "h"), node("Mul", "h factor", "y"),
                    node("ReduceMean", "y", "loss", keepdims=0)],
                   [value("x", ["N", 2])], [value("loss"), value("count", [], INT64)],
                   [floats("w", 2, 3), floats("bias", 3), tensor("factor", np.float32(2))], domains=[TRAINING])
    result.graph.node.append(node("Constant", "", "count", value_int=3))
    algorithm = graph([node("Gradient", "w x", "w.g", domain=TRAINING, xs=["w"], zs=["x"], y="loss"),
                       node("Sub", "w w.g", "w.new")], [], [value("w.new", [2, 3])])
    result.training_info.append(training_info(algorithm, [("w", "w.new")]))
    return result


MODELS = {function.__name__.replace("_", "-"): function for function in
          (unsorted, old_inputs, classes, element_types_raw, element_types_typed, constant_forms, large,
           shape_arithmetic, adagrad, adam_groups, nesterov, gradient_elsewhere, two_phases, frozen, custom)}
MODELS.update(FORMS)


def main():
    name, path = sys.argv[1:]
    with_files = {"external-data": external_data, "external-loss": external_loss}
    made = with_files[name](path) if name in with_files else MODELS[name]()
    with open(path, "wb") as file:
        file.write(made.SerializeToString())


if __name__ == "__main__":
    main()
