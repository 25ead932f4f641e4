"""Operators that choose, quantize, draw and look up, each in a model that one device and several ranks train to the same numbers:

    operators.py DIST_RUN FOLDER            ends with 1 unless they do

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, parser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402

ROWS, BATCH = 36, 12
SOURCE = np.random.default_rng(2)


def floats(*shape):
    return SOURCE.standard_normal(shape).astype(np.float32)


MEAN = "  sq = Mul(y, y)  loss = ReduceMean<keepdims = 0>(sq)"
TABLE, WEIGHTS = {"x": floats(ROWS, 6)}, {"w": floats(6, 4)}
PLACES = {"i": SOURCE.integers(0, 4, (ROWS, 3))}
IMAGES = {"x": floats(ROWS, 1, 4, 4)}
TOKENS = {"x": floats(ROWS, 3, 8)}
STEPS = {"s": np.float32(0.03), "z": np.int8(2)}
UNITS = {"gamma": np.ones(8, np.float32) * 1.25, "beta": floats(8)}

# The graph, its inputs, its variables and its constants.
CASES = {
    "the largest": ("e = MatMul(x, w)  y, p = TopK(e, two)", TABLE, WEIGHTS, {"two": np.array([2])}),
    "sorted": ("e = MatMul(x, w)  v, p = TopK<largest = 0>(e, four)  y = Mul(v, m)", TABLE, {**WEIGHTS, "m": floats(4)}, {"four": np.array([4])}),
    "largest by places": ('e = MatMul(x, w)  u = Tanh(e)  t = Slice(u, zero, three, one)  y = ScatterElements<axis = 1, reduction = "max">(e, i, t)',
                          {**TABLE, **PLACES}, WEIGHTS, {"zero": np.array([0]), "three": np.array([3]), "one": np.array([1])}),
    "products by places": ('e = MatMul(x, w)  u = Tanh(e)  t = Slice(u, zero, three, one)  y = ScatterElements<axis = 1, reduction = "mul">(e, i, t)',
                           {**TABLE, **PLACES}, WEIGHTS, {"zero": np.array([0]), "three": np.array([3]), "one": np.array([1])}),
    "quantized": ("q = QuantizeLinear(w, s, z)  d = DequantizeLinear(q, s, z)  e = MatMul(x, d)  r = com.microsoft.QuantizeLinear(e, s, z)  y = com.microsoft.DequantizeLinear(r, s, z)",
                  TABLE, WEIGHTS, STEPS),
    "quantized by its range": ("e = MatMul(x, w)  q, s, z = DynamicQuantizeLinear(e)  y = DequantizeLinear(q, s, z)", TABLE, WEIGHTS, {}),
    "bytes": ("f = Cast<to = 1>(x)  g = Div(f, most)  y = MatMul(g, w)", {"x": SOURCE.integers(0, 256, (ROWS, 6)).astype(np.uint8)}, WEIGHTS,
              {"most": np.float32(255)}),
    "noise": ("e = MatMul(x, w)  n = RandomNormalLike(e)  y = Add(e, n)", TABLE, WEIGHTS, {}),
    "uniform noise": ("e = MatMul(x, w)  n = RandomUniformLike<low = -1.0>(e)  y = Mul(e, n)", TABLE, WEIGHTS, {}),
    "coins": ("e = MatMul(x, w)  p = Sigmoid(e)  b = Bernoulli(p)  y = Mul(e, b)", TABLE, WEIGHTS, {}),
    "points": ("f = Flatten(x)  e = MatMul(f, w)  t = Tanh(e)  g = Reshape(t, points)  y = GridSample(x, g)", IMAGES, {"w": floats(16, 12)},
               {"points": np.array([-1, 2, 3, 2])}),
    "neighbours": ("f = Conv(x, w)  y = LRN<size = 3, alpha = 0.5>(f)", IMAGES, {"w": floats(5, 1, 2, 2)}, {}),
    "norms of windows": ("f = Conv(x, w)  y = LpPool<kernel_shape = [2, 2]>(f)", IMAGES, {"w": floats(5, 1, 2, 2)}, {}),
    "reversed": ("e = MatMul(x, w)  r = ReverseSequence<time_axis = 1, batch_axis = 0>(e, length)  y = Mul(r, m)",
                 {**TOKENS, "length": SOURCE.integers(1, 4, ROWS)}, {"w": floats(8, 4), "m": floats(3, 4)}, {}),
    "heads": ("q = MatMul(x, w)  y = com.microsoft.MultiHeadAttention<num_heads = 2, unidirectional = 1>(q, x, x, none, keeps)",
              {**TOKENS, "keeps": np.maximum(SOURCE.integers(0, 2, (ROWS, 3)), [1, 0, 0]).astype(np.int32)}, {"w": floats(8, 8)}, {}),
    "fused heads": ("a = com.microsoft.Attention<num_heads = 2>(x, w, b)  y = com.microsoft.SkipLayerNormalization(a, x, gamma, beta)",
                    TOKENS, {"w": floats(8, 24), "b": floats(24), **UNITS}, {}),
    "words": ("y, m, t = com.microsoft.EmbedLayerNormalization(i, k, words, places, kinds, gamma, beta)",
              {"i": SOURCE.integers(0, 9, (ROWS, 3)).astype(np.int32), "k": SOURCE.integers(0, 2, (ROWS, 3)).astype(np.int32)},
              {"words": floats(9, 8), "places": floats(5, 8), "kinds": floats(2, 8), **UNITS}, {}),
}
TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64, np.dtype(np.int32): TensorProto.INT32,
         np.dtype(np.uint8): TensorProto.UINT8}


def write(path, text, inputs, variables, constants):
    nodes = list(parser.parse_graph("g () => () {" + text.replace(", none,", ", ,") + MEAN + "}").node)
    for node in nodes:
        node.name = node.output[0]
    made = [helper.make_node("Constant", [], [name], name=name, value=numpy_helper.from_array(np.asarray(value))) for name, value in constants.items()]
    graph = helper.make_graph(made + nodes, "g", [helper.make_tensor_value_info(name, TYPES[value.dtype], ["N", *value.shape[1:]]) for name, value in inputs.items()],
                              [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], [numpy_helper.from_array(value, name) for name, value in variables.items()])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def train(dist_run, folder, ranks):
    command = [dist_run, "-n", str(ranks), folder / "model.onnx", "--dataset", folder / "data.npz", "--shuffle=false", "--steps", "3", "--save",
               folder / "out.safetensors", f"--train=loss=output optimizer=sgd learning-rate=0.1 global-batch={BATCH}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr if run.returncode else read_checkpoint(str(folder / "out.safetensors"))


def difference(found, expected, initial):
    """What is wrong, or nothing."""
    if isinstance(found, str):
        return found
    for name, value in initial.items():
        moved = np.linalg.norm(expected[name] - value)
        if not moved > 1e-4 * np.linalg.norm(value):
            return f"{name} is not trained"
        if not np.linalg.norm(found[name] - expected[name]) <= 1e-4 * moved:
            return f"{name} differs"
    return ""


def main():
    dist_run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for name, (text, inputs, variables, constants) in CASES.items():
        write(folder / "model.onnx", text, inputs, variables, constants)
        np.savez(folder / "data.npz", **inputs)
        expected = train(dist_run, folder, 1)
        for ranks in (2, 3):
            found = expected if isinstance(expected, str) else train(dist_run, folder, ranks)
            problem = difference(found, expected, variables)
            failed |= bool(problem)
            print(f"{name} on {ranks}: {problem or 'equal'}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
