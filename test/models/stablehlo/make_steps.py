#!/usr/bin/python3
"""Writes training steps in generic StableHLO, in the form in which JAX exports them.

    make_steps.py [FOLDER]

The form is that of `jax.jit(step, donate_argnums=...).lower(...).compiler_ir().operation.get_asm(print_generic_op_form=True)`,
as public dumps show it (leanprover/SHerLOC, Tests/testdata_*.mlir; openxla/stablehlo, docs/spec.md): properties in <{...}>,
attributes of the dialect as #stablehlo..., `tf.aliasing_output` or `jax.buffer_donor` on donated arguments. Functions are
written short, but in cnn_sgd, where all is generic. No JAX is needed; gradients are written out by hand.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys

DEFAULT = "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]"


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def array(numbers, bits="i64"):
    return f"array<{bits}: {', '.join(map(str, numbers))}>" if len(numbers) else f"array<{bits}>"


class Value:
    """A name with a shape and an element type."""

    def __init__(self, name, shape, element="f32"):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        return tensor(self.shape, self.element)


class Body:
    """The operations of one function, in order."""

    def __init__(self):
        self.lines, self.count = [], 0

    def op(self, kind, operands, shape, element="f32", properties="", region=""):
        result = Value(f"%{self.count}", shape, element)
        self.count += 1
        head = f'{result.name} = "stablehlo.{kind}"({", ".join(o.name for o in operands)})'
        head += f" <{{{properties}}}>" if properties else ""
        head += f" ({{\n{region}    }})" if region else ""
        self.lines.append(f"    {head} : ({', '.join(o.type for o in operands)}) -> {result.type}")
        return result

    def call(self, function, operand):
        result = Value(f"%{self.count}", operand.shape, operand.element)
        self.count += 1
        self.lines.append(f'    {result.name} = "func.call"({operand.name}) <{{callee = @{function}}}> : ({operand.type}) -> {result.type}')
        return result

    def constant(self, text, shape=(), element="f32"):
        return self.op("constant", [], shape, element, f"value = dense<{text}> : {tensor(shape, element)}")

    def pair(self, kind, left, right):
        return self.op(kind, [left, right], left.shape, left.element)

    def single(self, kind, value):
        return self.op(kind, [value], value.shape, value.element)

    def broadcast(self, value, shape, dimensions=()):
        return self.op("broadcast_in_dim", [value], shape, value.element, f"broadcast_dimensions = {array(dimensions)}")

    def fill(self, text, shape, element="f32"):
        """A splat, as JAX writes it: a scalar that is broadcast."""
        return self.broadcast(self.constant(text, (), element), shape)

    def scale(self, value, text):
        return self.pair("multiply", value, self.fill(text, value.shape))

    def reduce(self, value, dimensions, kind="add", start="0.000000e+00"):
        shape = [n for axis, n in enumerate(value.shape) if axis not in dimensions]
        scalar = tensor((), value.element)
        region = (f"    ^bb0(%lhs: {scalar}, %rhs: {scalar}):\n"
                  f'      %both = "stablehlo.{kind}"(%lhs, %rhs) : ({scalar}, {scalar}) -> {scalar}\n'
                  f'      "stablehlo.return"(%both) : ({scalar}) -> ()\n')
        return self.op("reduce", [value, self.constant(start, (), value.element)], shape, value.element,
                       f"dimensions = {array(dimensions)}", region)

    def dot(self, left, right, contract_left, contract_right):
        shape = [n for a, n in enumerate(left.shape) if a != contract_left]
        shape += [n for a, n in enumerate(right.shape) if a != contract_right]
        dims = f"#stablehlo.dot<lhs_contracting_dimensions = [{contract_left}], rhs_contracting_dimensions = [{contract_right}]>"
        return self.op("dot_general", [left, right], shape, "f32", f"dot_dimension_numbers = {dims}, {DEFAULT}")

    def compare(self, left, right, direction, kind="FLOAT"):
        return self.op("compare", [left, right], left.shape, "i1",
                       f"compare_type = #stablehlo<comparison_type {kind}>, "
                       f"comparison_direction = #stablehlo<comparison_direction {direction}>")

    def select(self, which, yes, no):
        return self.op("select", [which, yes, no], yes.shape, yes.element)

    def convert(self, value, element):
        return self.op("convert", [value], value.shape, element)

    def transpose(self, value, permutation):
        return self.op("transpose", [value], [value.shape[p] for p in permutation], value.element,
                       f"permutation = {array(permutation)}")

    def reshape(self, value, shape):
        return self.op("reshape", [value], shape, value.element)

    def convolve(self, left, right, shape, numbers, padding, strides=(1, 1), dilation=(1, 1)):
        return self.op("convolution", [left, right], shape, "f32",
                       f"batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<{numbers}>, "
                       f"feature_group_count = 1 : i64, lhs_dilation = {array(dilation)}, padding = dense<{padding}> : "
                       f"tensor<2x2xi64>, {DEFAULT}, rhs_dilation = {array((1, 1))}, "
                       f"window_reversal = {array(('false', 'false'), 'i1')}, window_strides = {array(strides)}")


def softmax_loss(body, logits, labels):
    """Mean cross-entropy, its gradient by the logits, and how many labels are right."""
    samples, classes = logits.shape
    top = body.reduce(logits, [1], "maximum", "0xFF800000")
    shifted = body.pair("subtract", logits, body.broadcast(top, logits.shape, [0]))
    exponents = body.single("exponential", shifted)
    total = body.reduce(exponents, [1])
    logs = body.pair("subtract", shifted, body.broadcast(body.single("log", total), logits.shape, [0]))
    classes_of = body.op("iota", [], [samples, classes], "i32", "iota_dimension = 1 : i64")
    hot = body.convert(body.compare(body.broadcast(labels, logits.shape, [0]), classes_of, "EQ", "SIGNED"), "f32")
    summed = body.reduce(body.single("negate", body.pair("multiply", hot, logs)), [0, 1])
    loss = body.pair("divide", summed, body.constant(f"{samples:.6e}"))
    odds = body.pair("divide", exponents, body.broadcast(total, logits.shape, [0]))
    gradient = body.pair("divide", body.pair("subtract", odds, hot), body.fill(f"{samples:.6e}", logits.shape))
    best = body.compare(logits, body.broadcast(top, logits.shape, [0]), "EQ")
    right = body.pair("and", best, body.compare(hot, body.fill("0.000000e+00", logits.shape), "GT"))
    hits = body.reduce(body.convert(right, "i32"), [0, 1], "add", "0")
    return loss, gradient, hits


def relu_backward(body, gradient, before):
    zeros = body.fill("0.000000e+00", before.shape)
    return body.select(body.compare(before, zeros, "GT"), gradient, zeros)


RELU = """  func.func private @relu(%arg0: {type}) -> {type} {{
    %0 = "stablehlo.constant"() <{{value = dense<0.000000e+00> : tensor<f32>}}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{{broadcast_dimensions = array<i64>}}> : (tensor<f32>) -> {type}
    %2 = "stablehlo.maximum"(%arg0, %1) : ({type}, {type}) -> {type}
    return %2 : {type}
  }}
"""


def mlp_gradients(body, params, image, label):
    """Loss, hits and gradients of a perceptron of two layers."""
    w1, b1, w2, b2 = params
    before = body.pair("add", body.dot(image, w1, 1, 0), body.broadcast(b1, (image.shape[0], w1.shape[1]), [1]))
    hidden = body.call("relu", before)
    logits = body.pair("add", body.dot(hidden, w2, 1, 0), body.broadcast(b2, (image.shape[0], w2.shape[1]), [1]))
    loss, out, hits = softmax_loss(body, logits, label)
    inner = relu_backward(body, body.dot(out, w2, 1, 1), before)
    return loss, hits, [body.transpose(body.dot(inner, image, 0, 0), [1, 0]), body.reduce(inner, [0]),
                        body.transpose(body.dot(out, hidden, 0, 0), [1, 0]), body.reduce(out, [0])]


def write_function(body, arguments, results, name="main"):
    """`arguments`: (value, attributes); `results`: (value, attributes)."""
    taken = ", ".join(f"{v.name}: {v.type}" + (f" {{{a}}}" if a else "") for v, a in arguments)
    given = ", ".join(f"{v.type} {{{a}}}" for v, a in results)
    returned = ", ".join(v.name for v, _ in results) + " : " + ", ".join(v.type for v, _ in results)
    return f"  func.func public @{name}({taken}) -> ({given}) {{\n" + "\n".join(body.lines) + f"\n    return {returned}\n  }}\n"


def write_module(name, note, text):
    return (f"// {note}\n// Written by make_steps.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
            f"module @{name} attributes {{mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}} {{\n{text}}}\n")


PARAMS = [("w1", (16, 32)), ("b1", (32,)), ("w2", (32, 10)), ("b2", (10,))]


def mlp_sgd():
    body = Body()
    params = [Value(f"%arg{i}", shape) for i, (_, shape) in enumerate(PARAMS)]
    image, label = Value("%arg4", (24, 16)), Value("%arg5", (24,), "i32")
    loss, hits, gradients = mlp_gradients(body, params, image, label)
    updated = [body.pair("subtract", p, body.scale(g, "1.000000e-01")) for p, g in zip(params, gradients)]
    arguments = [(p, f"tf.aliasing_output = {i} : i32") for i, p in enumerate(params)] + [(image, ""), (label, "")]
    results = [(u, f"jax.result_info = \"result[0]['{name}']\"") for u, (name, _) in zip(updated, PARAMS)]
    results += [(loss, 'jax.result_info = "result[1]"'), (hits, 'jax.result_info = "result[2]"')]
    text = write_function(body, arguments, results) + RELU.format(type=tensor((24, 32)))
    return write_module("jit_step", "A perceptron with SGD, donated arguments with aliases.", text)


def mlp_adam():
    body = Body()
    index = iter(range(100))
    trees = [[Value(f"%arg{next(index)}", shape) for _, shape in PARAMS] for _ in range(3)]
    count = Value(f"%arg{next(index)}", (), "i32")
    image, label = Value(f"%arg{next(index)}", (24, 16)), Value(f"%arg{next(index)}", (24,), "i32")
    rate = Value(f"%arg{next(index)}", ())
    loss, hits, gradients = mlp_gradients(body, trees[0], image, label)
    norm = body.constant("0.000000e+00")
    for g in gradients:
        norm = body.pair("add", norm, body.reduce(body.pair("multiply", g, g), list(range(len(g.shape)))))
    norm = body.single("sqrt", norm)
    limit = body.constant("5.000000e-01")
    factor = body.select(body.compare(norm, limit, "GT"), body.pair("divide", limit, norm), body.constant("1.000000e+00"))
    gradients = [body.pair("multiply", g, body.broadcast(factor, g.shape)) for g in gradients]
    next_count = body.pair("add", count, body.constant("1", (), "i32"))
    power = body.convert(next_count, "f32")
    corrections = [body.pair("subtract", body.constant("1.000000e+00"), body.pair("power", body.constant(beta), power))
                   for beta in ("9.000000e-01", "9.990000e-01")]
    updated = [[], [], []]
    for p, m, v, g in zip(*trees, gradients):
        m = body.pair("add", body.scale(m, "9.000000e-01"), body.scale(g, "1.000000e-01"))
        v = body.pair("add", body.scale(v, "9.990000e-01"), body.scale(body.pair("multiply", g, g), "1.000000e-03"))
        mean = body.pair("divide", m, body.broadcast(corrections[0], m.shape))
        root = body.single("sqrt", body.pair("divide", v, body.broadcast(corrections[1], v.shape)))
        step = body.pair("divide", mean, body.pair("add", root, body.fill("9.99999993E-9", v.shape)))
        step = body.pair("multiply", body.broadcast(rate, p.shape), step)
        for tree, value in zip(updated, (body.pair("subtract", p, step), m, v)):
            tree.append(value)
    state = trees[0] + trees[1] + trees[2] + [count]
    arguments = [(v, "jax.buffer_donor = true") for v in state] + [(image, ""), (label, ""), (rate, "")]
    results = [(v, f'jax.result_info = "result[{t}][{i}]"') for t, tree in enumerate(updated) for i, v in enumerate(tree)]
    results += [(next_count, 'jax.result_info = "result[3]"'), (loss, 'jax.result_info = "result[4][\'loss\']"'),
                (norm, 'jax.result_info = "result[4][\'norm\']"'), (hits, 'jax.result_info = "result[4][\'hits\']"')]
    text = write_function(body, arguments, results) + RELU.format(type=tensor((24, 32)))
    return write_module("jit_step", "A perceptron with Adam and clipping by the global norm, donated without aliases.", text)


def cnn_sgd():
    body = Body()
    shapes = [("kernel", (3, 3, 1, 4)), ("bias", (4,)), ("dense", (64, 10))]
    params = [Value(f"%arg{i}", shape) for i, (_, shape) in enumerate(shapes)]
    image, label = Value("%arg3", (12, 8, 8, 1)), Value("%arg4", (12,), "i32")
    kernel, bias, dense = params
    before = body.convolve(image, kernel, (12, 8, 8, 4), "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "1")
    before = body.pair("add", before, body.broadcast(bias, before.shape, [3]))
    mean = body.pair("divide", body.reduce(before, [0, 1, 2]), body.constant("7.680000e+02", (4,)))
    centred = body.pair("subtract", before, body.broadcast(mean, before.shape, [3]))
    hidden = body.single("tanh", centred)
    scalar = tensor(())
    region = (f"    ^bb0(%lhs: {scalar}, %rhs: {scalar}):\n"
              f'      %both = "stablehlo.add"(%lhs, %rhs) : ({scalar}, {scalar}) -> {scalar}\n'
              f'      "stablehlo.return"(%both) : ({scalar}) -> ()\n')
    pooled = body.op("reduce_window", [hidden, body.constant("0.000000e+00")], (12, 4, 4, 4), "f32",
                     f"padding = dense<0> : tensor<4x2xi64>, window_dimensions = {array((1, 2, 2, 1))}, "
                     f"window_strides = {array((1, 2, 2, 1))}", region)
    flat = body.reshape(body.scale(pooled, "2.500000e-01"), (12, 64))
    logits = body.dot(flat, dense, 1, 0)
    loss, out, hits = softmax_loss(body, logits, label)
    spread = body.scale(body.reshape(body.dot(out, dense, 1, 1), pooled.shape), "2.500000e-01")
    wide = body.op("pad", [spread, body.constant("0.000000e+00")], (12, 7, 7, 4), "f32",
                   f"edge_padding_high = {array((0, 0, 0, 0))}, edge_padding_low = {array((0, 0, 0, 0))}, "
                   f"interior_padding = {array((0, 1, 1, 0))}")
    inner = body.op("reduce_window", [wide, body.constant("0.000000e+00")], (12, 8, 8, 4), "f32",
                    f"padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>, "
                    f"window_dimensions = {array((1, 2, 2, 1))}, window_strides = {array((1, 1, 1, 1))}", region)
    inner = body.pair("multiply", inner, body.pair("subtract", body.fill("1.000000e+00", hidden.shape), body.pair("multiply", hidden, hidden)))
    share = body.pair("divide", body.reduce(inner, [0, 1, 2]), body.constant("7.680000e+02", (4,)))
    inner = body.pair("subtract", inner, body.broadcast(share, inner.shape, [3]))
    gradients = [body.convolve(image, inner, (3, 3, 1, 4), "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]", "1"),
                 body.reduce(inner, [0, 1, 2]), body.transpose(body.dot(out, flat, 0, 0), [1, 0])]
    updated = [body.pair("subtract", p, body.scale(g, "1.000000e-01")) for p, g in zip(params, gradients)]
    results = updated + [loss, hits]
    taken = params + [image, label]
    attributes = [f"tf.aliasing_output = {i} : i32" for i in range(3)] + ["", ""]
    lines = "\n".join(body.lines)
    return (f"// A small convolutional network whose mean over the batch is part of it; all in generic form.\n"
            f"// Written by make_steps.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
            f'"builtin.module"() <{{sym_name = "jit_step"}}> ({{\n'
            f'  "func.func"() <{{arg_attrs = [{", ".join("{" + a + "}" for a in attributes)}], function_type = '
            f'({", ".join(v.type for v in taken)}) -> ({", ".join(v.type for v in results)}), '
            f'sym_name = "main", sym_visibility = "public"}}> ({{\n'
            f'  ^bb0({", ".join(f"{v.name}: {v.type}" for v in taken)}):\n{lines}\n'
            f'    "func.return"({", ".join(v.name for v in results)}) : ({", ".join(v.type for v in results)}) -> ()\n'
            f"  }}) : () -> ()\n}}) {{mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}} : () -> ()\n")


def embedding_sgd():
    body = Body()
    table, dense = Value("%arg0", (20, 6)), Value("%arg1", (6, 10))
    words, label = Value("%arg2", (24, 5), "i32"), Value("%arg3", (24,), "i32")
    indices = body.reshape(words, (24, 5, 1))
    rows = body.op("gather", [table, indices], (24, 5, 6), "f32",
                   "dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], "
                   f"start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = {array((1, 6))}")
    mean = body.scale(body.reduce(rows, [1]), "2.000000e-01")
    logits = body.dot(mean, dense, 1, 0)
    loss, out, hits = softmax_loss(body, logits, label)
    inner = body.broadcast(body.scale(body.dot(out, dense, 1, 1), "2.000000e-01"), rows.shape, [0, 2])
    scalar = tensor(())
    region = (f"    ^bb0(%lhs: {scalar}, %rhs: {scalar}):\n"
              f'      %both = "stablehlo.add"(%lhs, %rhs) : ({scalar}, {scalar}) -> {scalar}\n'
              f'      "stablehlo.return"(%both) : ({scalar}) -> ()\n')
    places = ("indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], "
              "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false")
    updated = body.op("scatter", [table, indices, body.scale(inner, "-1.000000e-01")], table.shape, "f32", places, region)
    gradient = body.transpose(body.dot(out, mean, 0, 0), [1, 0])
    results = [(updated, 'jax.result_info = "[0]"'),
               (body.pair("subtract", dense, body.scale(gradient, "1.000000e-01")), 'jax.result_info = "[1]"'),
               (loss, 'jax.result_info = "[2]"'), (hits, 'jax.result_info = "[3]"')]
    arguments = [(table, "tf.aliasing_output = 0 : i32"), (dense, "tf.aliasing_output = 1 : i32"), (words, ""), (label, "")]
    return write_module("jit_step", "An embedding that a step adds to with a scatter.", write_function(body, arguments, results))


def scan_sgd():
    """A loop over time, as jax.lax.scan makes one, that adds to a gradient at each time."""
    body = Body()
    weight, sequence = Value("%arg0", (4, 4)), Value("%arg1", (12, 3, 4))
    body.lines.append("""    %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %start = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %first = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<12x4xf32>}> : () -> tensor<12x4xf32>
    %loop:3 = "stablehlo.while"(%zero, %start, %first) ({
    ^bb0(%time: tensor<i32>, %gradient: tensor<4x4xf32>, %state: tensor<12x4xf32>):
      %end = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %goes = "stablehlo.compare"(%time, %end) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%goes) : (tensor<i1>) -> ()
    }, {
    ^bb0(%time: tensor<i32>, %gradient: tensor<4x4xf32>, %state: tensor<12x4xf32>):
      %slice = "stablehlo.dynamic_slice"(%arg1, %zero, %time, %zero) <{slice_sizes = array<i64: 12, 1, 4>}> : (tensor<12x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x1x4xf32>
      %now = "stablehlo.reshape"(%slice) : (tensor<12x1x4xf32>) -> tensor<12x4xf32>
      %mixed = "stablehlo.dot_general"(%now, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<12x4xf32>, tensor<4x4xf32>) -> tensor<12x4xf32>
      %sum = "stablehlo.add"(%mixed, %state) : (tensor<12x4xf32>, tensor<12x4xf32>) -> tensor<12x4xf32>
      %next = "stablehlo.tanh"(%sum) : (tensor<12x4xf32>) -> tensor<12x4xf32>
      %own = "stablehlo.dot_general"(%now, %next) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<12x4xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
      %more = "stablehlo.add"(%gradient, %own) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %later = "stablehlo.add"(%time, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%later, %more, %next) : (tensor<i32>, tensor<4x4xf32>, tensor<12x4xf32>) -> ()
    }) : (tensor<i32>, tensor<4x4xf32>, tensor<12x4xf32>) -> (tensor<i32>, tensor<4x4xf32>, tensor<12x4xf32>)""")
    gradient, last = Value("%loop#1", (4, 4)), Value("%loop#2", (12, 4))
    updated = body.pair("subtract", weight, body.scale(gradient, "1.000000e-02"))
    loss = body.pair("divide", body.reduce(body.pair("multiply", last, last), [0, 1]), body.constant("4.800000e+01"))
    results = [(updated, 'jax.result_info = "result[0]"'), (loss, 'jax.result_info = "result[1]"')]
    arguments = [(weight, "tf.aliasing_output = 0 : i32"), (sequence, "")]
    return write_module("jit_step", "A loop over time that carries a gradient.", write_function(body, arguments, results))


STEPS = {"scan_sgd": scan_sgd, "mlp_sgd": mlp_sgd, "mlp_adam": mlp_adam, "cnn_sgd": cnn_sgd, "embedding_sgd": embedding_sgd}

if __name__ == "__main__":
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for file_name, make in STEPS.items():
        with open(os.path.join(folder, file_name + ".mlir"), "w", encoding="utf-8") as file:
            file.write(make())
