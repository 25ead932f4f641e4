"""What refusals of single operators advise: follow_advice.py trains what follows from it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
from onnx import TensorProto, helper

from advice import advice
from advice_of_graphs import SEQUENCES, graph_of, product, scan
from numpy_models import floats

# Operators that nothing is known of.


@advice("write it by functions of tensors that have one, and export again",
        lambda g: g("ATen", product(g), out="y", domain="org.pytorch.aten", operator="logit"), edit=lambda m: m.opset_import.append(
            helper.make_opsetid("org.pytorch.aten", 1)))
def a_function_by_others_that_have_a_form(g):
    p = g("Sigmoid", product(g))
    g("Log", g("Div", p, g("Sub", 1.0, p)), out="y")
    return lambda x, w: x @ w


@advice("end the graph at the scores: what comes after them looks up classes, and is not trained",
        lambda g: g("Cast", g("LinearClassifier", product(g), out=2, domain="ai.onnx.ml", coefficients=[1.0] * 9, intercepts=[0.0] * 3,
                              classlabels_ints=[0, 1, 2])[1], out="y", to=TensorProto.DOUBLE),
        edit=lambda m: m.opset_import.append(helper.make_opsetid("ai.onnx.ml", 1)))
def a_graph_that_ends_at_the_scores(g):
    g("Identity", product(g), out="y")
    return lambda x, w: x @ w


EXPRESS = "express it by operators that are (docs/frontend.md), as nodes or as a function of the model (ModelProto.functions)"


def own(g):
    g("Swish", product(g), out="y", domain="com.acme")


def swish(x, w):
    return (x @ w) / (1 + np.exp(-(x @ w)))


def of_acme(model):
    model.opset_import.append(helper.make_opsetid("com.acme", 1))


def with_a_function(model):
    of_acme(model)
    body = [helper.make_node("Sigmoid", ["a"], ["s"]), helper.make_node("Mul", ["a", "s"], ["b"])]
    model.functions.append(helper.make_function("com.acme", "Swish", ["a"], ["b"], body, [helper.make_opsetid("", 17)]))


@advice(EXPRESS, own, edit=of_acme)
def an_operator_by_nodes(g):
    h = product(g)
    g("Mul", h, g("Sigmoid", h), out="y")
    return swish


@advice(EXPRESS, own, edit=of_acme, change=with_a_function)
def an_operator_by_a_function_of_the_model(g):
    own(g)
    return swish


# What data decide.


def boxes(g):
    corners = g("Abs", g("Reshape", "x", np.array([-1, 2, 2])))
    low = g("ReduceMin", corners, axes=[1], keepdims=0)
    return g("Concat", low, g("Add", low, g("ReduceSum", corners, np.array([1]), keepdims=0)), axis=1)


def chosen_boxes(g):
    narrow = [g("Unsqueeze", g("Cast", value, to=TensorProto.FLOAT), np.array([0])) for value in (boxes(g), g("Transpose", product(g), perm=[1, 0]))]
    chosen = g("NonMaxSuppression", *narrow, np.int64(3))
    g("Cast", chosen, to=TensorProto.DOUBLE, out="y")


@advice("end the graph in front of it, at what the loss is about", chosen_boxes)
def scores_in_front_of_what_chooses(g):
    g("Identity", product(g), out="y")
    return lambda x, w: x @ w


@advice("export lists that grow in a loop unrolled", lambda g: g("MatMul", g("ConcatFromSequence", "x", axis=1), "w", out="y"),
        variables={"w": floats(8, 3)})
def a_list_that_grows_unrolled(g):
    longer = g("SequenceInsert", g("SequenceInsert", g("SequenceEmpty", dtype=TensorProto.DOUBLE), "x"), "x")
    g("MatMul", g("ConcatFromSequence", longer, axis=1), "w", out="y")
    return lambda x, w: np.concatenate([x, x], 1) @ w


def grid(g, size):
    return g("MatMul", g("Reshape", g("AffineGrid", g("Reshape", g("Tanh", product(g)), np.array([-1, 2, 3])), size), np.array([0, -1])), "v", out="y")


@advice("give it the size of a tensor of the same batch, as affine_grid(theta, x.size()) does",
        lambda g: grid(g, np.array([7, 1, 2, 2])), variables={"w": floats(4, 6), "v": floats(8, 2)}, opset=20)
def a_grid_of_the_size_of_the_batch(g):
    grid(g, g("Concat", g("Slice", g("Shape", "x"), np.array([0]), np.array([1])), np.array([1, 2, 2]), axis=0))

    def compute(x, w, v):
        theta = np.tanh(x @ w).reshape(-1, 2, 3)
        places = np.array([[i, j, 1] for j in (-0.5, 0.5) for i in (-0.5, 0.5)])
        return (places @ theta.transpose(0, 2, 1)).reshape(-1, 8) @ v

    return compute


def of_eight(g):
    """A Scan as it was: with a batch of its own."""
    body = graph_of("step", [helper.make_node("MatMul", ["step", "w"], ["seen"])], [("step", TensorProto.DOUBLE, None)],
                    [("seen", TensorProto.DOUBLE, None)])
    g("Scan", "", "x", body=body, num_scan_inputs=1, out="y")


@advice("export with operator set 9 or later", of_eight, inputs=SEQUENCES, refused_opset=8)
def a_scan_of_operator_set_nine(g):
    scan(g)
    return lambda x, w: x @ w


def searched(g):
    step = graph_of("decoder", [helper.make_node("MatMul", ["h", "w"], ["n"])], [("h", TensorProto.DOUBLE, None)], [("n", TensorProto.DOUBLE, None)])
    g("GreedySearch", "x", out="y", domain="com.microsoft", decoder=step)


@advice("export the branch that training takes, and loops unrolled", searched, variables={"w": floats(4, 4)})
def steps_of_a_search_unrolled(g):
    g("MatMul", g("MatMul", "x", "w"), "w", out="y")
    return lambda x, w: x @ w @ w


def words(g):
    codes = g("LabelEncoder", "t", domain="ai.onnx.ml", keys_strings=["a", "b"], values_int64s=[0, 1])
    g("MatMul", g("Gather", "w", codes), np.eye(3), out="y")


def of_strings(model):
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.STRING


@advice("; turn them into numbers in front of the model", words, inputs={"t": np.random.default_rng(2).integers(0, 4, (24, 2))}, edit=of_strings)
def words_as_numbers(g):
    g("MatMul", g("Gather", "w", "t"), np.eye(3), out="y")
    return lambda t, w: w[t]


def vectorized(g):
    counts = g("TfIdfVectorizer", "t", mode="TF", min_gram_length=1, max_gram_length=1, max_skip_count=0, ngram_counts=[0], ngram_indexes=[0, 1, 2, 3],
               pool_int64s=[0, 1, 2, 3])
    g("MatMul", g("Cast", counts, to=TensorProto.DOUBLE), "w", out="y")


@advice("turn strings into numbers in front of the model", vectorized, inputs={"t": np.random.default_rng(2).integers(0, 4, (24, 2))})
def counts_instead_of_words(g):
    hot = g("OneHot", "t", np.int64(4), np.array([0.0, 1.0]))
    g("MatMul", g("ReduceSum", hot, np.array([1]), keepdims=0), "w", out="y")
    return lambda t, w: np.eye(4)[t].sum(1) @ w
