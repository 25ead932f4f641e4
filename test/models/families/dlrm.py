"""DLRM (Naumov et al. 2019): 26 tables, dot interactions, two MLPs, under the names of its reference code.

full has the table sizes of the Criteo Kaggle data: 33,762,577 rows, 2.2 GB of weights, more than one protobuf holds.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
from onnx import TensorProto

ROWS = (1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194, 27, 14992, 5461306, 10, 5652,
        2173, 4, 7046547, 18, 15, 286181, 105, 142572)
DENSE = 13
SIZES = {
    "tiny": {"rows": tuple(min(r, 50) for r in ROWS), "width": 8, "bottom": (32, 16), "top": (32,), "hot": 2},
    "small": {"rows": tuple(min(r, 2000) for r in ROWS), "width": 16, "bottom": (128, 64), "top": (128, 64), "hot": 2},
    "full": {"rows": ROWS, "width": 16, "bottom": (512, 256, 64), "top": (512, 256), "hot": 1},
}
FLAGS = {}


def _mlp(graph, x, name, sizes):
    """Layers with Relu between them, numbered as in a torch.nn.Sequential."""
    for index, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        x = graph.gemm(x, f"{name}.{2 * index}", inputs, outputs, (2.0 / (inputs + outputs)) ** 0.5)
        if index + 2 < len(sizes):
            x = graph("Relu", x, scope="/" + name)
    return x


def _tables(graph, size):
    """One vector per table: the sum of the rows that the sample names, without a sum where it names one."""
    vectors = []
    for index, rows in enumerate(size["rows"]):
        name = f"emb_l.{index}"
        indices = graph("Gather", "sparse", graph.constant(index, np.int64), axis=1)
        table = graph.normal(name + ".weight", (rows, size["width"]), rows ** -0.5)
        vector = graph("Gather", table, indices, scope="/" + name)
        if size["hot"] > 1:
            vector = graph("ReduceSum", vector, graph.constant([1], np.int64), keepdims=0, scope="/" + name)
        vectors.append(vector)
    return vectors


def _interactions(graph, vectors):
    """Dot products of all pairs, each once. Z[:, rows, columns] as an export writes it: a lookup in the flattened square."""
    joined = graph("Concat", *[graph.unsqueeze(v, 1) for v in vectors], axis=1)
    square = graph("MatMul", joined, graph("Transpose", joined, perm=[0, 2, 1]))
    rows, columns = np.tril_indices(len(vectors), -1)
    moved = graph("Transpose", square, perm=[1, 2, 0])
    width = graph.size(moved, 1)
    flat = graph("Add", graph("Mul", graph.constant(rows, np.int64), width), graph.constant(columns, np.int64))
    lines = graph("Flatten", moved, axis=2)
    return graph("Transpose", graph("Gather", lines, flat, axis=0), perm=[1, 0])


def build(graph, size, flags):
    width, pairs = size["width"], 27 * 26 // 2
    graph.input("dense", TensorProto.FLOAT, DENSE)
    graph.input("sparse", TensorProto.INT64, 26, *([size["hot"]] if size["hot"] > 1 else []))
    bottom = graph("Relu", _mlp(graph, "dense", "bot_l", (DENSE, *size["bottom"], width)), scope="/bot_l")
    products = _interactions(graph, [bottom] + _tables(graph, size))
    x = graph("Concat", bottom, products, axis=1)
    graph("Sigmoid", _mlp(graph, x, "top_l", (width + pairs, *size["top"], 1)), result="scores")
    return (1,)


def add_loss(graph, size, flags):
    """Binary cross entropy written out: -mean(y log p + (1 - y) log(1 - p))."""
    label = graph.input("label", TensorProto.FLOAT, 1)
    one = graph.constant(1.0)
    hit = graph("Mul", label, graph("Log", "scores"))
    miss = graph("Mul", graph("Sub", one, label), graph("Log", graph("Sub", one, "scores")))
    graph("ReduceMean", graph("Neg", graph("Add", hit, miss)), keepdims=0, result="loss")
