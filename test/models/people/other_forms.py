"""Graphs of other exporters, other types, and what is refused.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np
from onnx import helper

from forms import form

SCORES, OUTPUT = "softmax-cross-entropy", "output"


@form("scikit-learn (skl2onnx)", 15, SCORES, opsets=(("ai.onnx.ml", 1),), batch_name=None)
def sklearn_perceptron(g):
    """An MLPClassifier: its classes are looked up after the scores, and sequences of maps."""
    g.input("X", "f32", "normal", 6)
    g.label("i64", 5)
    h = g("Relu", g("Add", g("MatMul", "X", g.weight("coefficient", 6, 8), out="mul_result"), g.weight("intercepts", 1, 8), out="add_result"), out="next_activations")
    scores = g("Add", g("MatMul", h, g.weight("coefficient1", 8, 5), out="mul_result1"), g.weight("intercepts1", 1, 5), out="add_result1")
    g("Softmax", scores, axis=1, out="out_activations_result")
    g("ArgMax", "out_activations_result", axis=1, out="argmax_output")
    g("ArrayFeatureExtractor", g.tensor("classes", np.arange(5)), "argmax_output", domain="ai.onnx.ml", out="array_feature_extractor_result")
    g("ZipMap", "out_activations_result", domain="ai.onnx.ml", classlabels_int64s=[0, 1, 2, 3, 4], out="output_probability")
    g.output("array_feature_extractor_result", "i64")
    g.output("output_probability", "f32")
    g.refuse("operator 'ArrayFeatureExtractor' of domain 'ai.onnx.ml' is not supported; end the graph at the scores")


@form("scikit-learn (skl2onnx)", 15, SCORES, batch_name=None)
def sklearn_scores(g):
    """The same with raw scores alone, scaled features, and dimensions without a name."""
    g.input("X", "f32", "normal", 6)
    g.label("i64", 5)
    scaled = g("Div", g("Sub", "X", g.tensor("Su_Subcst", g.values_of("mean", (6,)))), g.tensor("Di_Divcst", np.linspace(0.5, 1.5, 6, dtype="f")))
    h = g("Relu", g("Add", g("MatMul", scaled, g.weight("coefficient", 6, 8)), g.weight("intercepts", 1, 8)))
    g("Add", g("MatMul", h, g.weight("coefficient1", 8, 5)), g.weight("intercepts1", 1, 5), out="scores")
    g.output("scores", dims=[None, 5])
    g.trained += ["Su_Subcst", "Di_Divcst"]


@form("PyTorch 1.13", 14, SCORES)
def sizes_without_names(g):
    """Dimensions that have neither a size nor a name, an output without a shape, a node without one."""
    g.batch_name = None
    g.input("x", "f32", "normal", 3, 4)
    g.label("i64", 5)
    h = g("Relu", g("MatMul", "x", g.weight("w", 4, 6), name=""), name="")
    g("MatMul", g("ReduceMax", h, axes=[1], keepdims=0, name=""), g.weight("v", 6, 5), out="y", name="")
    g.output("y")


@form("PyTorch 1.13", 14, OUTPUT)
def doubles(g):
    """All in double precision."""
    g.input("x", "f64", "normal", 6)
    g.input("label", "f64", "normal", 2)
    h = g("Tanh", g("Gemm", "x", g.weight("fc1.weight", 8, 6, element=np.float64), g.weight("fc1.bias", 8, element=np.float64), transB=1))
    y = g("Gemm", h, g.weight("fc2.weight", 2, 8, element=np.float64), g.weight("fc2.bias", 2, element=np.float64), transB=1)
    apart = g("Sub", y, "label")
    g("ReduceMean", g("Mul", apart, apart), keepdims=0, out="loss")
    g.output("loss", "f64", [])


@form("PyTorch 1.13", 14, SCORES)
def doubles_without_loss(g):
    """The same, with scores that a recipe takes."""
    g.input("x", "f64", "normal", 6)
    g.label("i64", 5)
    h = g("Sigmoid", g("Gemm", "x", g.weight("fc1.weight", 8, 6, element=np.float64), g.weight("fc1.bias", 8, element=np.float64), transB=1))
    g("Gemm", h, g.weight("fc2.weight", 5, 8, element=np.float64), g.weight("fc2.bias", 5, element=np.float64), transB=1, out="scores")
    g.output("scores", "f64", ["batch", 5])


@form("onnxconverter-common", 15, SCORES)
def halves(g):
    """Weights and arithmetic in 16 bits, the inputs and outputs in 32, with casts between."""
    g.rounding = 2 ** 11
    g.input("x", "f32", "normal", 6)
    g.label("i64", 5)
    x = g("Cast", "x", to=10, name="graph_input_cast0")
    h = g("Relu", g("Gemm", x, g.weight("fc1.weight", 8, 6, element=np.float16), g.weight("fc1.bias", 8, element=np.float16), transB=1))
    y = g("Gemm", h, g.weight("fc2.weight", 5, 8, element=np.float16), g.weight("fc2.bias", 5, element=np.float16), transB=1)
    g("Cast", y, to=1, name="graph_output_cast0", out="scores")
    g.output("scores", dims=["batch", 5])


@form("PyTorch 1.13", 14, SCORES, ir_version=7)
def halves_of_autocast(g):
    """What autocast traces: weights in 32 bits, cast where a product takes them."""
    g.rounding = 2 ** 7
    g.input("x", "f32", "normal", 6)
    g.label("i64", 5)
    h = g("Cast", "x", to=10)
    for number, (inputs, outputs) in enumerate(((6, 8), (8, 5))):
        weight, bias = g("Cast", g.weight(f"fc{number}.weight", outputs, inputs), to=10), g("Cast", g.weight(f"fc{number}.bias", outputs), to=10)
        h = g("Gemm", g("Relu", h) if number else h, weight, bias, transB=1)
    g("Cast", h, to=1, out="scores")
    g.output("scores", dims=["batch", 5])


@form("PyTorch 1.13", 15, OUTPUT, opsets=(("org.pytorch.aten", 1),))
def aten_fallback(g):
    """An operator that the exporter has no form for (ctc_loss), as ATen."""
    g.input("x", "f32", "normal", 6)
    g.input("label", "i64", 5)
    h = g("LogSoftmax", g("Gemm", "x", g.weight("fc.weight", 5, 6), g.weight("fc.bias", 5), transB=1), axis=1)
    g("ATen", h, "label", domain="org.pytorch.aten", operator="ctc_loss", out="losses")
    g("ReduceMean", "losses", keepdims=0, out="loss")
    g.output("loss", dims=[])
    g.refuse("operator 'ATen' of domain 'org.pytorch.aten' is not supported; the exporter has no form of this function of PyTorch")


@form("PyTorch 1.13", 15, SCORES)
def boxes_that_remain(g):
    """A NonMaxSuppression at the end, as detectors have it."""
    g.input("x", "f32", "normal", 6)
    g.label("i64", 5)
    boxes = g("Reshape", g("Gemm", "x", g.weight("fc.weight", 16, 6), g.weight("fc.bias", 16), transB=1), g.constant([-1, 4, 4]))
    scores = g("Unsqueeze", g("ReduceMax", boxes, axes=[2], keepdims=0), g.constant([1]))
    g("NonMaxSuppression", boxes, scores, g.constant([3]), g.constant([0.5], np.float32), out="chosen")
    g.output("chosen", "i64")
    g.refuse("operator 'NonMaxSuppression' of domain 'ai.onnx' is not supported; no gradient passes through it; end the graph in front of it")


@form("PyTorch 1.13", 15, SCORES)
def loop_over_data(g):
    """A Loop that ends when the data says so."""
    g.input("x", "f32", "normal", 5)
    g.label("i64", 5)
    g.weight("w", 5, 5)
    tensor, info = helper.make_node, helper.make_tensor_value_info
    body = helper.make_graph([tensor("MatMul", ["h", "w"], ["h_out"]), tensor("ReduceSum", ["h_out"], ["sum"], keepdims=0),
                              tensor("Less", ["sum", "limit"], ["go"])], "body", [info("i", 7, []), info("cond", 9, []), info("h", 1, None)],
                             [info("go", 9, []), info("h_out", 1, None)])
    g.tensor("limit", np.float32(1))
    g("Loop", g.constant(9), g.constant(True, np.bool_), "x", body=body, out="y")
    g.output("y", dims=["batch", 5])
    g.refuse("node 'Loop_0' (Loop): whether it goes on ('go') is not known before the program runs; export it unrolled")


@form("TensorFlow.js", 13, SCORES, ir_version=7)
def strings(g):
    """Words as strings, looked up by a StringNormalizer."""
    g.graph_inputs.append(helper.make_tensor_value_info("words", 8, ["batch"]))
    g.inputs["words"] = ["i64", 5]
    g.label("i64", 5)
    g("StringNormalizer", "words", case_change_action="LOWER", out="y")
    g.outputs.append(helper.make_tensor_value_info("y", 8, ["batch"]))
    g.refuse("input 'words' has elements of unsupported type STRING; turn them into numbers in front of the model")


@form("PyTorch 1.13", 15, SCORES)
def edges_of_one_graph(g):
    """All nodes of one graph, and edges between them: nothing is a batch that ranks could share."""
    g.input("x", "f32", "normal", 4, dims=["nodes", 4])
    g.graph_inputs.append(g.value("edges", "i64", [2, "edges"]))
    g.inputs["edges"], g.bound["edges"] = ["i64", 8, 2], "edges"
    g.label("i64", 5)
    h = g("MatMul", "x", g.weight("w", 4, 6))
    source, target = g("Split", "edges", g.constant([1, 1]), outs=["source", "target"], axis=0)
    sent = g("Gather", h, g("Squeeze", source, g.constant([0])), axis=0)
    places = g("Expand", g("Unsqueeze", g("Squeeze", target, g.constant([0])), g.constant([1])), g("Shape", sent))
    summed = g("ScatterElements", g("Mul", h, g.constant(0.0, np.float32)), places, sent, axis=0, reduction="add")
    g.opset = 16
    g("MatMul", g("Relu", summed), g.weight("v", 6, 5), out="y")
    g.output("y", dims=["nodes", 5])
    g.refuse("export the model with a symbolic batch")


@form("Microsoft CNTK", 9, SCORES, ir_version=4, batch_name="None")
def fused_of_onnx_runtime(g):
    """What ONNX Runtime's optimizer of transformers leaves: FusedMatMul, BiasGelu, SkipLayerNormalization."""
    g.opsets, g.exporter, g.opset, g.ir_version = (("com.microsoft", 1),), "ONNX Runtime (optimized)", 15, 8
    g.input("x", "f32", "normal", 4, 8)
    g.label("i64", 5)
    h = g("FusedMatMul", "x", g.weight("w1", 12, 8), transB=1, alpha=0.5, domain="com.microsoft")
    h = g("BiasGelu", h, g.weight("b1", 12), domain="com.microsoft")
    h = g("MatMul", h, g.weight("w2", 12, 8))
    y = g("SkipLayerNormalization", h, "x", g.weight("gamma", 8, value=1.0), g.weight("beta", 8, value=0.0), g.weight("b2", 8), epsilon=1e-5, domain="com.microsoft")
    pooled = g("ReduceMean", g("QuickGelu", y, alpha=1.702, domain="com.microsoft"), axes=[1], keepdims=0)
    g("Gemm", pooled, g.weight("fc.weight", 5, 8), g.weight("fc.bias", 5), transB=1, out="scores")
    g.output("scores", dims=["batch", 5])


@form("PyTorch 1.13", 15, SCORES)
def unknown_layer(g):
    """An operator of somebody's own, with the type of its result."""
    g.opsets = (("my.company", 1),)
    g.input("x", "f32", "normal", 6)
    g.label("i64", 5)
    h = g("Swirl", g("MatMul", "x", g.weight("w", 6, 6)), domain="my.company", out="h")
    g.declared.append(g.value("h", "f32", ["batch", 6]))
    g("MatMul", h, g.weight("v", 6, 5), out="y")
    g.output("y", dims=["batch", 5])
    g.refuse("'my.company.Swirl' has no gradient, but the gradient of variable 'w' passes through it [ONNX node 'Swirl_0']")
