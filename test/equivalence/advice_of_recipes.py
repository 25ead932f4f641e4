"""What refusals and warnings of recipes advise: follow_advice.py trains what follows from it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
from onnx import TensorProto, helper

from advice import advice
from numpy_models import floats


def product(g):
    return g("MatMul", "x", "w")


def outputs(*names):
    """An edit: which tensors are the outputs; those that are not are unused."""

    def edit(model):
        del model.graph.output[:]
        for name in names:
            model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.DOUBLE, [] if name == "loss" else None))

    return edit


def linear(g):
    g("Identity", product(g), out="y")
    return lambda x, w: x @ w


@advice("; end it in one number, by a ReduceMean with keepdims=0", linear, edit=outputs("y"))
def a_loss_of_one_number(g):
    return linear(g)


def two_losses(g):
    g("ReduceMean", g("Abs", product(g)), keepdims=0, out="size")
    return linear(g)


def of_scalars(model):
    outputs("loss")(model)
    model.graph.output.append(helper.make_tensor_value_info("size", TensorProto.DOUBLE, []))


@advice("; say which one: loss=output:loss", two_losses, edit=of_scalars, change=of_scalars, told=dict(loss="output:loss"))
def the_output_that_is_named(g):
    return two_losses(g)


@advice("; if it is the loss, say loss=output", linear, asked=dict(loss="mse"))
def an_output_that_is_the_loss(g):
    return linear(g)


OF_CLASSES, NLL_LOSS = {"loss": "softmax-cross-entropy"}, {"loss": "nll"}
LABELS = {"x": floats(24, 4), "label": np.random.default_rng(3).integers(0, 3, 24)}


def errors(x, w, label):
    """The roots of cross entropies, whose mean square is the loss."""
    scores = x @ w
    top = scores.max(1)
    return np.sqrt(top + np.log(np.exp(scores - top[:, None]).sum(1)) - scores[np.arange(len(x)), label])


def only(name):
    """An edit: what is left by onnx.utils.extract_model, without the label that the recipe adds."""

    def edit(model):
        given = [each for each in model.graph.input if each.name != "label"]
        del model.graph.input[:]
        model.graph.input.extend(given)
        outputs(*name)(model)

    return edit


def scores_and_more(g):
    g("Tanh", product(g), out="more")
    g("Identity", product(g), out="y")
    return errors


@advice("; leave the one that has them, by onnx.utils.extract_model", scores_and_more, inputs=LABELS, edit=only(["y", "more"]), change=only(["y"]),
        asked=OF_CLASSES, told=OF_CLASSES)
def the_output_of_the_scores(g):
    return scores_and_more(g)


def probabilities(g):
    g("Softmax", product(g), axis=1, out="y")
    return errors


TWICE = "; export the model without its last Softmax, or with LogSoftmax in its place"
CROSS = dict(inputs=LABELS, edit=only(["y"]), change=only(["y"]), asked=OF_CLASSES, told=OF_CLASSES)


def scores(g):
    linear(g)
    return errors


def logarithms(g):
    g("LogSoftmax", product(g), axis=1, out="y")
    return errors


@advice(TWICE, probabilities, **CROSS)
def without_its_last_softmax(g):
    return scores(g)


@advice(TWICE, probabilities, **CROSS)
def with_a_log_softmax_in_its_place(g):
    return logarithms(g)


NLL = "; end the model in LogSoftmax, or in scores and say loss=softmax-cross-entropy"


@advice(NLL, scores, **{**CROSS, "asked": NLL_LOSS, "told": NLL_LOSS})
def a_model_that_ends_in_log_softmax(g):
    return logarithms(g)


@advice(NLL, scores, **{**CROSS, "asked": NLL_LOSS})
def scores_of_a_cross_entropy(g):
    return scores(g)


@advice("; leave one of them out, or put the loss into the graph", scores, **{**CROSS, "asked": dict(**OF_CLASSES, keys="label-smoothing=0.1 ignore-index=1")})
def one_of_them_left_out(g):
    return scores(g)


def cross_entropy(g, of, **attributes):
    """A loss of the graph, of each sample; with a domain, as ONNX Runtime writes it."""
    domain = "com.microsoft" if attributes else ""
    op = "SoftmaxCrossEntropyLossInternal" if attributes else "SoftmaxCrossEntropyLoss"
    loss = g(op, of, "label", reduction="none", domain=domain, **attributes)
    if attributes:
        loss = g("Cast", loss, to=TensorProto.DOUBLE)
    g("Sqrt", loss, out="y")
    return errors


INSIDE = "Softmax is taken a second time, which learns little; export the model without the Softmax before its loss"


@advice(INSIDE, lambda g: cross_entropy(g, g("Softmax", product(g), axis=1)), inputs=LABELS)
def a_loss_of_the_graph_without_a_softmax_before_it(g):
    return cross_entropy(g, product(g))


@advice("is not supported; cast the result", lambda g: cross_entropy(g, product(g), output_type=TensorProto.FLOAT), inputs=LABELS)
def a_loss_that_is_cast(g):
    loss = g("SoftmaxCrossEntropyLossInternal", product(g), "label", reduction="none", domain="com.microsoft")
    g("Cast", g("Cast", g("Sqrt", loss), to=TensorProto.FLOAT), to=TensorProto.DOUBLE, out="y")
    return errors
