"""The click model: two embedding tables, their interaction, and a small network on top."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
from onnx import TensorProto

import click_data
import forward_graphs as forward

WIDTH = 16


def table(graph, name, rows):
    return graph.constant(name + ".weight", (0.5 * graph.random.standard_normal((rows, WIDTH))).astype(np.float32))


def make_clicks():
    """Inputs `user` [N] and `items` [N, 3], output `logits` [N, 2]; 33,602 parameters, most of them in the tables."""
    graph = forward.GraphWriter(seed=4)
    user = graph.node("Gather", "user_lookup", [table(graph, "user", click_data.USERS), "user"], ["user_output"])
    items = graph.node("Gather", "item_lookup", [table(graph, "item", click_data.ITEMS), "items"], ["items_output"])
    basket = graph.node("ReduceMean", "basket", [items], ["basket_output"], axes=[1], keepdims=0)
    both = graph.node("Mul", "interaction", [user, basket], ["interaction_output"])
    x = graph.node("Concat", "features", [user, basket, both], ["features_output"], axis=1)
    x = graph.node("Tanh", "tanh", [graph.linear("fc1", x, 3 * WIDTH, 32)], ["tanh_output"])
    graph.linear("fc2", x, 32, 2, result="logits")
    inputs = [forward.value_info("user", TensorProto.INT64, ["N"]),
              forward.value_info("items", TensorProto.INT64, ["N", click_data.BASKET])]
    return forward.make_model(graph, "clicks", inputs, [forward.value_info("logits", TensorProto.FLOAT, ["N", 2])])
