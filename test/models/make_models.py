#!/usr/bin/python3
"""Writes the digits and the clicks (test/data) and the ONNX models (test/models); with --check compares them with what is there.

Needs python3-onnx, python3-numpy and python3-sklearn. All values are seeded: the same packages give the same files.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import os
import sys
import tempfile

import onnx
from onnx import helper

import click_data
import click_graph
import digits_data
import forward_graphs
import training_graphs

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = {
    "digits_mlp": lambda: forward_graphs.make_forward("digits_mlp", forward_graphs.add_mlp, seed=1),
    "digits_cnn": lambda: forward_graphs.make_forward("digits_cnn", forward_graphs.add_cnn, seed=2),
    "digits_dropout": lambda: forward_graphs.make_forward("digits_dropout", forward_graphs.add_dropout_mlp, seed=3),
    "clicks": click_graph.make_clicks,
    "digits_mlp_training": training_graphs.make_mlp_training,
    "digits_cnn_training": training_graphs.make_cnn_training,
}


def combined(model, info):
    """The graph of one training step as the standard defines it: the model's lists, then the algorithm's."""
    graph, algorithm = model.graph, info.algorithm
    step = helper.make_graph(list(graph.node) + list(algorithm.node), "step",
                             list(graph.input) + list(algorithm.input),
                             list(graph.output) + list(algorithm.output),
                             initializer=list(graph.initializer) + list(algorithm.initializer))
    return helper.make_model(step, opset_imports=model.opset_import, ir_version=model.ir_version)


def check(model):
    """onnx.checker on the model and on each combined step; the bindings, which the checker never sees, by hand."""
    onnx.checker.check_model(model, full_check=True)
    for info in model.training_info:
        onnx.checker.check_model(combined(model, info))
        state = {t.name for t in list(model.graph.initializer) + list(info.algorithm.initializer)}
        results = {v.name for v in list(model.graph.output) + list(info.algorithm.output)}
        drawn = {v.name for v in info.initialization.output}
        for bindings, sources in ((info.update_binding, results), (info.initialization_binding, drawn)):
            keys = [entry.key for entry in bindings]
            assert len(keys) == len(set(keys)), "a variable is bound twice"
            for entry in bindings:
                assert entry.key in state, f"{entry.key} is no initializer"
                assert entry.value in sources, f"{entry.value} is no output"


def write_all(models, data):
    for name, make in MODELS.items():
        model = make()
        check(model)
        with open(os.path.join(models, name + ".onnx"), "wb") as file:
            file.write(model.SerializeToString(deterministic=True))
    digits_data.write_digits(data)
    click_data.write_clicks(data)


def compare(made, committed):
    """Names of the files of folder `made` whose bytes differ in folder `committed`."""
    def content(path):
        with open(path, "rb") as file:
            return file.read()

    return [name for name in sorted(os.listdir(made))
            if not os.path.exists(os.path.join(committed, name))
            or content(os.path.join(made, name)) != content(os.path.join(committed, name))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a committed file differs")
    arguments = parser.parse_args()
    data = os.path.join(HERE, "..", "data")
    if not arguments.check:
        write_all(HERE, data)
        return 0
    with tempfile.TemporaryDirectory() as models, tempfile.TemporaryDirectory() as made_data:
        write_all(models, made_data)
        different = compare(models, HERE) + compare(made_data, data)
    for name in different:
        print(f"{name}: the committed file is not what make_models.py makes; run test/models/make_models.py")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
