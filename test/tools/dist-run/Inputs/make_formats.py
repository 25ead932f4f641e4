"""make_formats.py FOLDER: the same samples in several formats, and models for them.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

WORDS, LENGTH, SAMPLES = 50, 8, 200


def save(folder, name, nodes, inputs, output, weights):
    values = [numpy_helper.from_array(value, key) for key, value in weights.items()]
    graph = helper.make_graph(nodes, name, inputs, [output], values)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / f"{name}.onnx")


def language_model(folder, name, words, length, random):
    weights = {"table": random.normal(0, 0.3, (words, 16)).astype("f4"), "scores": random.normal(0, 0.3, (16, words)).astype("f4")}
    save(folder, name, [helper.make_node("Gather", ["table", "tokens"], ["looked"], name="look-up"),
                              helper.make_node("MatMul", ["looked", "scores"], ["output"])],
         [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["batch", length])],
         helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", length, words]), weights)


def token_files(folder, random):
    tokens = random.integers(0, WORDS, SAMPLES * LENGTH + 3)
    tokens.astype("<u2").tofile(folder / "train.bin")
    tokens.astype("<u4").tofile(folder / "wide.bin")
    count = SAMPLES * LENGTH
    numpy.savez(folder / "tokens.npz", tokens=tokens[:count].reshape(-1, LENGTH), targets=tokens[1:count + 1].reshape(-1, LENGTH))
    tokens[-5] = WORDS
    tokens.astype("<u2").tofile(folder / "strange.bin")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    random = numpy.random.default_rng(1)
    language_model(folder, "language", WORDS, LENGTH, random)
    language_model(folder, "letters", 256, "length", random)
    token_files(folder, random)


if __name__ == "__main__":
    main()
