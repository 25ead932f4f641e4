#!/usr/bin/env python3
"""DLRM and Wide & Deep as ONNX models for the features that click_data.py wrote: what torch_models.py exports, without PyTorch.

    click_models.py FEATURES.json dlrm|wide_and_deep MODEL.onnx [--width W] [--weights inside|beside]

Tables too large for one file go beside it, into MODEL.onnx.data.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import sys
import zlib

import numpy as np
from onnx import TensorProto, helper, numpy_helper

INSIDE_LIMIT = 1 << 30
CHUNK = 1 << 20  # rows that are in memory at once


class Graph:
    """Nodes, and parameters whose values are drawn when they are written."""

    def __init__(self, seed):
        self.seed = seed
        self.nodes, self.constants, self.parameters = [], [], []

    def __call__(self, operator, name, *inputs, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, [name + "_output"], name=name, **attributes))
        return name + "_output"

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def parameter(self, name, shape, deviation):
        self.parameters.append((name, shape, deviation))
        return name

    def values(self, name, shape, deviation):
        """The values of a parameter, some rows at a time."""
        random = np.random.RandomState([self.seed, zlib.crc32(name.encode())])
        for first in range(0, shape[0], CHUNK):
            part = (min(CHUNK, shape[0] - first), *shape[1:])
            yield (random.standard_normal(part) * deviation).astype(np.float32)

    def linear(self, name, x, inputs, outputs):
        weight = self.parameter(name + ".weight", (outputs, inputs), (1.0 / inputs) ** 0.5)
        return self("Gemm", name, x, weight, self.parameter(name + ".bias", (outputs,), 0.01), transB=1)

    def layers(self, name, x, *sizes):
        """Linear layers with ReLU between them, numbered as in a torch.nn.Sequential."""
        for index, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
            x = self.linear(f"{name}.{2 * index}", x, inputs, outputs)
            if index + 2 < len(sizes):
                x = self("Relu", f"{name}.{2 * index + 1}", x)
        return x

    def look_up(self, group, table, width, deviation):
        """[batch, width]: the row of the sample's id, or the mean of those of several."""
        name = f"{group}.{table['name']}"
        weight = self.parameter(name + ".weight", (table["rows"], width), deviation)
        rows = self("Gather", name, weight, table["name"])
        return rows if table["hot"] == 1 else self("ReduceMean", name + ".mean", rows, axes=[1], keepdims=0)


def dlrm(graph, features, width):
    """Naumov et al. 2019: products of all pairs of vectors, between two networks."""
    dense = graph("Relu", "bottom.relu", graph.layers("bottom", "dense", features["dense"], 32, width))
    vectors = [dense] + [graph.look_up("tables", table, width, 0.1) for table in features["tables"]]
    axis, count = graph.constant("axis", [1]), len(vectors)
    joined = graph("Concat", "vectors", *[graph("Unsqueeze", f"vector.{i}", v, axis) for i, v in enumerate(vectors)], axis=1)
    products = graph("MatMul", "products", joined, graph("Transpose", "turned", joined, perm=[0, 2, 1]))
    pairs = [first * count + second for first in range(count) for second in range(first)]
    chosen = graph("Gather", "pairs", graph("Flatten", "flat", products), graph.constant("pairs_of_products", pairs), axis=1)
    x = graph("Concat", "interactions", dense, chosen, axis=1)
    return graph.layers("top", x, width + len(pairs), 64, 32, 1)


def wide_and_deep(graph, features, width):
    """Cheng et al. 2016: a linear model of all features, and a network on embeddings."""
    tables = features["tables"]
    wide = [graph.look_up("wide", table, 1, 0.01) for table in tables] + [graph.linear("wide_dense", "dense", features["dense"], 1)]
    deep = [graph.look_up("tables", table, width, 0.1) for table in tables] + ["dense"]
    x = graph("Concat", "embeddings", *deep, axis=1)
    x = graph.layers("deep", x, len(tables) * width + features["dense"], 64, 32, 1)
    return graph("Sum", "sum", *wide, x)


def make_proto(graph, features, kind, logit):
    inputs = [helper.make_tensor_value_info(t["name"], TensorProto.INT64, ["batch"] + ([t["hot"]] if t["hot"] > 1 else []))
              for t in features["tables"]]
    inputs.append(helper.make_tensor_value_info("dense", TensorProto.FLOAT, ["batch", features["dense"]]))
    outputs = [helper.make_tensor_value_info(logit, TensorProto.FLOAT, ["batch", 1])]
    proto = helper.make_graph(graph.nodes, kind, inputs, outputs, graph.constants)
    return helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def add_inside(graph, proto):
    for name, shape, deviation in graph.parameters:
        values = np.concatenate(list(graph.values(name, shape, deviation)))
        proto.graph.initializer.append(numpy_helper.from_array(values, name))


def add_beside(graph, proto, path):
    """Writes the parameters into `path`.data, one after the other, and says where each stands."""
    with open(path + ".data", "wb") as file:
        for name, shape, deviation in graph.parameters:
            file.write(bytes(-file.tell() % 64))
            first = file.tell()
            for values in graph.values(name, shape, deviation):
                file.write(values.tobytes())
            tensor = proto.graph.initializer.add(name=name, data_type=TensorProto.FLOAT, dims=shape,
                                                 data_location=TensorProto.EXTERNAL)
            where = {"location": os.path.basename(path) + ".data", "offset": first, "length": file.tell() - first}
            for key, value in where.items():
                tensor.external_data.add(key=key, value=str(value))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = {"dlrm": dlrm, "wide_and_deep": wide_and_deep}
    parser.add_argument("features", metavar="FEATURES.json")
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("model", metavar="MODEL.onnx")
    parser.add_argument("--width", type=int, default=8, help="numbers in a row of a table")
    parser.add_argument("--weights", choices=["inside", "beside"], help="inside, but beside above a gigabyte")
    parser.add_argument("--seed", type=int, default=1, help="of the weights")
    options = parser.parse_args()
    with open(options.features, encoding="utf-8") as file:
        features = json.load(file)
    graph = Graph(options.seed)
    proto = make_proto(graph, features, options.kind, kinds[options.kind](graph, features, options.width))
    size = sum(4 * int(np.prod(shape)) for _, shape, _ in graph.parameters)
    if options.weights == "inside" and size > INSIDE_LIMIT:
        sys.exit(f"click_models.py: the parameters have {size} bytes, more than one file holds: say --weights beside")
    if options.weights == "beside" or size > INSIDE_LIMIT:
        add_beside(graph, proto, options.model)
    else:
        add_inside(graph, proto)
    with open(options.model, "wb") as file:
        file.write(proto.SerializeToString(deterministic=True))
    print(f"{options.model}: {len(features['tables'])} tables, {size // 4:,} parameters")


if __name__ == "__main__":
    main()
