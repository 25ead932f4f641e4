"""Writes the training step of a deep MLP as MLIR text: a program of any number of operations.

    generate.py OPERATIONS FILE.mlir

A layer has ten: two initial values, a matrix product and a Relu, their gradients, and two optimizers.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

OPERATIONS_OF_A_LAYER = 10
WEIGHT, BIAS, VALUE = "tensor<8x8xf32>", "tensor<8xf32>", "tensor<?x8xf32>"


def variables(layers):
    """Type and role of each, in order."""
    for i in range(layers):
        for part, kind in (("weight", WEIGHT), ("bias", BIAS)):
            yield kind, f'{kind} {{train.variable = #train.variable<"layer{i}.{part}", trainable>}}'


def initialize(layers, out):
    types = [kind for kind, _ in variables(layers)]
    out.write("  func.func @initialize() -> (" + ", ".join(role for _, role in variables(layers)) + ") {\n")
    for i, kind in enumerate(types):
        out.write(f"    %{i} = arith.constant dense<{(i % 7 - 3) / 8}> : {kind}\n")
    out.write("    return " + ", ".join(f"%{i}" for i in range(len(types))) + " : " + ", ".join(types) + "\n  }\n")


def signature(layers, out):
    arguments = [f"%v{i}: {role}" for i, (_, role) in enumerate(variables(layers))]
    arguments += [f'%x: {VALUE} {{train.input = #train.input<"input", @data>}}',
                  '%y: tensor<?xi64> {train.input = #train.input<"label", @data>}',
                  '%rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"learning_rate", 0.1 : f64>}']
    results = [role for _, role in variables(layers)] + ['tensor<f32> {train.metric = "loss"}']
    out.write(f"  func.func @step({', '.join(arguments)}) -> ({', '.join(results)}) {{\n")


def forward(layers, out):
    """Values %h0 to %hN; the input of layer i is %h(i-1)."""
    before = "%x"
    for i in range(layers):
        out.write(f"    %g{i} = onnx.Gemm {before}, %v{2 * i}, %v{2 * i + 1} {{transB = 1 : i64}} : ({VALUE}, {WEIGHT}, {BIAS}) -> {VALUE}\n")
        out.write(f"    %h{i} = onnx.Relu %g{i} : ({VALUE}) -> {VALUE}\n")
        before = f"%h{i}"
    out.write(f"    %loss, %log = onnx.SoftmaxCrossEntropyLoss {before}, %y : ({VALUE}, tensor<?xi64>) -> (tensor<f32>, {VALUE})\n")
    out.write("    %one = train.full_like %loss, 1.0 : tensor<f32>\n")
    out.write(f"    %d{layers} = onnx.SoftmaxCrossEntropyLossGrad %one, %log, %y : (tensor<f32>, {VALUE}, tensor<?xi64>) -> {VALUE}\n")


def backward(layers, out):
    for i in reversed(range(layers)):
        before = f"%h{i - 1}" if i else "%x"
        out.write(f"    %r{i} = onnx.ReluGrad %d{i + 1}, %h{i} : ({VALUE}, {VALUE}) -> {VALUE}\n")
        out.write(f"    %dw{i} = onnx.Gemm %r{i}, {before} {{transA = 1 : i64}} : ({VALUE}, {VALUE}) -> {WEIGHT}\n")
        out.write(f"    %db{i} = onnx.ReduceSum %r{i} {{axes = array<i64: 0>, keepdims = 0 : i64}} : ({VALUE}) -> {BIAS}\n")
        out.write(f"    %d{i} = onnx.Gemm %r{i}, %v{2 * i} : ({VALUE}, {WEIGHT}) -> {VALUE}\n")


def update(layers, out):
    types = [kind for kind, _ in variables(layers)]
    for i in range(layers):
        out.write(f"    %u{2 * i} = train.sgd %v{2 * i} gradient %dw{i} rate %rate : {WEIGHT}, tensor<f32>\n")
        out.write(f"    %u{2 * i + 1} = train.sgd %v{2 * i + 1} gradient %db{i} rate %rate : {BIAS}, tensor<f32>\n")
    values = [f"%u{i}" for i in range(len(types))] + ["%loss"]
    out.write(f"    return {', '.join(values)} : {', '.join(types + ['tensor<f32>'])}\n  }}\n")


def write(operations, path):
    layers = max(1, operations // OPERATIONS_OF_A_LAYER)
    with open(path, "w", encoding="utf-8") as out:
        out.write("module attributes {train.program} {\n  train.dataset @data {global_batch = 64 : i64}\n")
        initialize(layers, out)
        signature(layers, out)
        forward(layers, out)
        backward(layers, out)
        update(layers, out)
        out.write("}\n")


if __name__ == "__main__":
    write(int(sys.argv[1]), sys.argv[2])
