"""Losses that are no mean of independent samples, on one rank and on several: variables and metrics must agree.

    batch_losses.py DIST_RUN FOLDER [--kinds NAME ...] [--ranks N ...] [--distribute KEYS] [--limit LIMIT]

Each kind is a graph over x [N, 6], W [6, 3], the scores z = x W, targets t [N, 3] and labels l [N].
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, parser

SAMPLES, BATCH = 24, 12

# Every line is a node in ONNX's text form.
KINDS = {
    # Sums, and what is linear in them.
    "sum": ["s = Mul(z, z)", "loss = ReduceSum<keepdims = 0>(s)"],
    "sum_of_cross_entropies": ['loss = SoftmaxCrossEntropyLoss<reduction = "sum">(z, l)'],
    "sum_and_mean": ["s = Mul(z, z)", "a = ReduceSum<keepdims = 0>(s)", "e = Exp(z)", "b = ReduceMean<keepdims = 0>(e)", "loss = Add(a, b)"],
    "mean_and_weights": ["s = Mul(z, z)", "a = ReduceMean<keepdims = 0>(s)", "q = Mul(W, W)", "b = ReduceSum<keepdims = 0>(q)", "loss = Add(a, b)"],
    "sum_and_weights": ["s = Mul(z, z)", "a = ReduceSum<keepdims = 0>(s)", "q = Mul(W, W)", "b = ReduceSum<keepdims = 0>(q)", "loss = Add(a, b)"],
    "sum_times_number": ["s = Mul(z, z)", "a = ReduceSum<keepdims = 0>(s)", "loss = Mul(a, half)"],
    # Sums that are used other than linearly.
    "root_of_mean": ["d = Sub(z, t)", "s = Mul(d, d)", "m = ReduceMean<keepdims = 0>(s)", "loss = Sqrt(m)"],
    "log_of_mean": ["s = Mul(z, z)", "m = ReduceMean<keepdims = 0>(s)", "loss = Log(m)"],
    "square_of_mean": ["m = ReduceMean<keepdims = 0>(z)", "loss = Mul(m, m)"],
    "product_of_means": ["s = Mul(z, z)", "a = ReduceMean<keepdims = 0>(s)", "e = Exp(z)", "b = ReduceMean<keepdims = 0>(e)", "loss = Mul(a, b)"],
    "root_of_sum": ["s = Mul(z, z)", "m = ReduceSum<keepdims = 0>(s)", "loss = Sqrt(m)"],
    "norm": ["loss = ReduceL2<keepdims = 0>(z)"],
    "log_sum_exp": ["loss = ReduceLogSumExp<keepdims = 0>(z)"],
    "dice": ["p = Sigmoid(z)", "g = Sigmoid(t)", "pg = Mul(p, g)", "a = ReduceSum<keepdims = 0>(pg)", "b = ReduceSum<keepdims = 0>(p)",
             "c = ReduceSum<keepdims = 0>(g)", "d = Add(b, c)", "q = Div(a, d)", "loss = Neg(q)"],
    "dice_of_classes": ["p = Sigmoid(z)", "g = Sigmoid(t)", "pg = Mul(p, g)", "a = ReduceSum<axes = [0], keepdims = 0>(pg)" , "b = ReduceSum<axes = [0], keepdims = 0>(p)",
                        "q = Div(a, b)", "loss = ReduceMean<keepdims = 0>(q)"],
    "pearson": ["f = Flatten<axis = 0>(z)", "g = Flatten<axis = 0>(t)", "mf = ReduceMean<keepdims = 1>(z)", "mg = ReduceMean<keepdims = 1>(t)", "a = Sub(z, mf)", "b = Sub(t, mg)",
                "ab = Mul(a, b)", "aa = Mul(a, a)", "bb = Mul(b, b)", "c = ReduceSum<keepdims = 0>(ab)", "va = ReduceSum<keepdims = 0>(aa)", "vb = ReduceSum<keepdims = 0>(bb)",
                "v = Mul(va, vb)", "r = Sqrt(v)", "q = Div(c, r)", "loss = Neg(q)"],
    "weights_by_reciprocal": ["w = Sigmoid(t)", "s = Mul(z, z)", "ws = Mul(w, s)", "a = ReduceSum<keepdims = 0>(ws)", "n = ReduceSum<keepdims = 0>(w)", "i = Reciprocal(n)", "loss = Mul(a, i)"],
    "weights_by_power": ["w = Sigmoid(t)", "s = Mul(z, z)", "ws = Mul(w, s)", "a = ReduceSum<keepdims = 0>(ws)", "n = ReduceSum<keepdims = 0>(w)", "i = Pow(n, minus)", "loss = Mul(a, i)"],
    "weights_of_samples": ["w = Sigmoid(z)", "n = ReduceSum<keepdims = 0>(w)", "v = Div(w, n)", "s = Mul(z, z)", "vs = Mul(v, s)", "loss = ReduceSum<keepdims = 0>(vs)"],
    "variance": ["m = ReduceMean<axes = [0], keepdims = 1>(z)", "d = Sub(z, m)", "s = Mul(d, d)", "v = ReduceMean<axes = [0], keepdims = 0>(s)", "r = Sqrt(v)", "loss = ReduceSum<keepdims = 0>(r)"],
    "covariance": ["m = ReduceMean<axes = [0], keepdims = 1>(z)", "d = Sub(z, m)", "dt = Transpose<perm = [1, 0]>(d)", "c = MatMul(dt, d)", "s = Mul(c, c)", "loss = ReduceSum<keepdims = 0>(s)"],
    "barlow": ["m = ReduceMean<axes = [0], keepdims = 1>(z)", "d = Sub(z, m)", "s = Mul(d, d)", "v = ReduceMean<axes = [0], keepdims = 1>(s)", "r = Sqrt(v)", "n = Div(d, r)",
               "nt = Transpose<perm = [1, 0]>(n)", "c = MatMul(nt, t)", "e = Mul(c, c)", "loss = ReduceMean<keepdims = 0>(e)"],
    "load_balance": ["p = Softmax<axis = 1>(z)", "f = ReduceMean<axes = [0], keepdims = 0>(p)", "g = Sigmoid(t)", "h = ReduceMean<axes = [0], keepdims = 0>(g)", "fh = Mul(f, h)", "loss = ReduceSum<keepdims = 0>(fh)"],
    "minibatch_deviation": ["m = ReduceMean<axes = [0], keepdims = 1>(z)", "d = Sub(z, m)", "s = Mul(d, d)", "v = ReduceMean<axes = [0], keepdims = 1>(s)", "r = Sqrt(v)", "a = ReduceMean<keepdims = 1>(r)",
                            "y = Mul(z, a)", "e = Mul(y, y)", "loss = ReduceMean<keepdims = 0>(e)"],
    "maximum": ["s = Mul(z, z)", "loss = ReduceMax<keepdims = 0>(s)"],
    "maximum_of_maxima": ["m = ReduceMax<axes = [0], keepdims = 0>(z)", "loss = ReduceMax<keepdims = 0>(m)"],
    "minimum_of_columns": ["s = Mul(z, z)", "a = ReduceMin<axes = [0], keepdims = 0>(s)", "loss = ReduceMean<keepdims = 0>(a)"],
    # Samples that meet samples.
    "softmax_over_batch": ["p = Softmax<axis = 0>(z)", "s = Mul(p, z)", "loss = ReduceMean<keepdims = 0>(s)"],
    "contrastive": ["zt = Transpose<perm = [1, 0]>(z)", "c = MatMul(z, zt)", "p = LogSoftmax<axis = 1>(c)", "m = ReduceMean<keepdims = 0>(p)", "loss = Neg(m)"],
    "contrastive_both_ways": ["tt = Transpose<perm = [1, 0]>(t)", "c = MatMul(z, tt)", "p = LogSoftmax<axis = 1>(c)", "q = LogSoftmax<axis = 0>(c)", "r = Add(p, q)", "s = Mul(r, c)", "m = ReduceMean<keepdims = 0>(s)", "loss = Neg(m)"],
    "places_that_may_be_ignored": ["zt = Transpose<perm = [1, 0]>(z)", "c = MatMul(z, zt)", "sizes = Shape(x)", "n = Gather(sizes, axis0)", "i = Range(axis0, n, index1)", "loss = SoftmaxCrossEntropyLoss<ignore_index = 1>(c, i)"],
    "log_sums_both_ways": ["tt = Transpose<perm = [1, 0]>(t)", "c = MatMul(z, tt)", "a = ReduceLogSumExp<axes = [1], keepdims = 0>(c)", "b = ReduceLogSumExp<axes = [0], keepdims = 0>(c)", "d = Mul(a, b)", "loss = ReduceMean<keepdims = 0>(d)"],
    "all_pairs": ["a = Unsqueeze(z, one)", "b = Unsqueeze(z, zero)", "d = Sub(a, b)", "s = Mul(d, d)", "e = ReduceSum<axes = [2], keepdims = 0>(s)", "k = Neg(e)", "g = Exp(k)", "loss = ReduceMean<keepdims = 0>(g)"],
    "hardest_triplet": ["a = Unsqueeze(z, one)", "b = Unsqueeze(z, zero)", "d = Sub(a, b)", "s = Mul(d, d)", "e = ReduceSum<axes = [2], keepdims = 0>(s)", "h = ReduceMax<axes = [1], keepdims = 0>(e)", "loss = ReduceMean<keepdims = 0>(h)"],
    "running_sum": ["c = CumSum(z, axis0)", "s = Mul(c, c)", "loss = ReduceMean<keepdims = 0>(s)"],
    "flipped": ["f = Slice(z, last, before, zero, minus_one)", "s = Mul(z, f)", "loss = ReduceMean<keepdims = 0>(s)"],
    "neighbours": ["f = Slice(z, one, end, zero)", "g = Slice(z, zero, minus_one, zero)", "d = Sub(f, g)", "s = Mul(d, d)", "loss = ReduceMean<keepdims = 0>(s)"],
    "gram": ["zt = Transpose<perm = [1, 0]>(z)", "c = MatMul(z, zt)", "s = Mul(c, c)", "loss = ReduceSum<keepdims = 0>(s)"],
    # The number of samples, and the place of each, as values.
    "sum_over_samples": ["s = Mul(z, z)", "a = ReduceSum<keepdims = 0>(s)", "sizes = Shape(x)", "n = Gather(sizes, axis0)", "f = Cast<to = 1>(n)", "loss = Div(a, f)"],
    "sum_over_elements": ["s = Mul(z, z)", "a = ReduceSum<keepdims = 0>(s)", "n = Size(z)", "f = Cast<to = 1>(n)", "loss = Div(a, f)"],
    "variance_of_a_sample_less": ["m = ReduceMean<axes = [0]>(z)", "d = Sub(z, m)", "s = Mul(d, d)", "a = ReduceSum<keepdims = 0>(s)", "sizes = Shape(x)", "n = Gather(sizes, axis0)", "u = Sub(n, index1)",
                                  "f = Cast<to = 1>(u)", "loss = Div(a, f)"],
    "count_of_integers": ["g = Greater(l, axis0)", "c = Cast<to = 7>(g)", "n = ReduceSum<keepdims = 0>(c)", "f = Cast<to = 1>(n)", "s = Mul(z, z)", "a = ReduceSum<keepdims = 0>(s)", "loss = Div(a, f)"],
    "places_as_labels": ["zt = Transpose<perm = [1, 0]>(z)", "c = MatMul(z, zt)", "sizes = Shape(x)", "n = Gather(sizes, axis0)", "i = Range(axis0, n, index1)", "loss = SoftmaxCrossEntropyLoss(c, i)"],
    # A state that begins as zeros for each sample, and noise that is drawn for each; that of a weight is the same on all ranks.
    "zeros_of_samples": ["sizes = Shape(x)", "n = Gather(sizes, zero)", "to = Concat<axis = 0>(n, three)", "h = ConstantOfShape(to)", "a = Add(z, h)", "s = Mul(a, z)", "loss = ReduceMean<keepdims = 0>(s)"],
    "noise": ["e = RandomNormalLike(z)", "y = Mul(z, e)", "a = Add(y, e)", "s = Mul(a, a)", "loss = ReduceMean<keepdims = 0>(s)"],
    "noise_of_samples_last": ["zt = Transpose<perm = [1, 0]>(z)", "e = RandomUniformLike<low = -1.0>(zt)", "y = Mul(zt, e)", "s = Mul(y, y)", "loss = ReduceSum<keepdims = 0>(s)"],
    "noise_of_latents": ["sizes = Shape(x)", "n = Gather(sizes, zero)", "to = Concat<axis = 0>(n, three)", "h = ConstantOfShape(to)", "e = RandomNormalLike(h)", "y = Mul(z, e)", "s = Mul(y, y)", "loss = ReduceMean<keepdims = 0>(s)"],
    "noise_of_weights": ["e = RandomNormalLike(W)", "w = Mul(W, e)", "y = MatMul(x, w)", "s = Mul(y, y)", "loss = ReduceMean<keepdims = 0>(s)"],
    "coins": ["p = Sigmoid(t)", "c = Bernoulli(p)", "y = Mul(z, c)", "s = Mul(y, y)", "loss = ReduceMean<keepdims = 0>(s)"],
    # Metrics of each kind beside a plain loss.
    "metrics": ["s = Mul(z, z)", "loss = ReduceMean<keepdims = 0>(s)", "total = ReduceSum<keepdims = 0>(s)", "largest = ReduceMax<keepdims = 0>(z)", "smallest = ReduceMin<keepdims = 0>(z)",
                "root = Sqrt(loss)"],
}
CONSTANTS = {"half": np.float32(0.5), "minus": np.float32(-1), "zero": np.array([0]), "one": np.array([1]), "three": np.array([3]), "axis0": np.array(0), "index1": np.array(1), "last": np.array([-1]),
             "before": np.array([-2**31]), "minus_one": np.array([-1]), "end": np.array([2**31])}
METRICS = {"metrics": ["total", "largest", "smallest", "root"]}


def write(kind, folder):
    source = np.random.default_rng(5)
    arrays = {"x": source.standard_normal((SAMPLES, 6)).astype(np.float32), "t": source.standard_normal((SAMPLES, 3)).astype(np.float32),
              "l": source.integers(0, 3, SAMPLES)}
    lines = ["z = MatMul(x, W)"] + KINDS[kind]
    text = "g () => () {\n" + "\n".join(lines) + "\n}"
    nodes = []
    for node in parser.parse_graph(text).node:
        axes = [attribute for attribute in node.attribute if attribute.name == "axes"]
        if node.op_type == "ReduceSum" and axes:  # an operand since operator set 13
            name = node.output[0] + "_axes"
            nodes.append(helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.array(axes[0].ints))))
            node.attribute.remove(axes[0])
            node.input.append(name)
        node.name = node.output[0]
        nodes.append(node)
    used = {name for node in nodes for name in node.input}
    constants = [helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.asarray(value)))
                 for name, value in CONSTANTS.items() if name in used]
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype) if hasattr(helper, "np_dtype_to_tensor_dtype")
                                            else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], ["N", *array.shape[1:]])
              for name, array in arrays.items() if name in used]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, []) for name in ["loss"] + METRICS.get(kind, [])]
    weight = numpy_helper.from_array(source.standard_normal((6, 3)).astype(np.float32), "W")
    graph = helper.make_graph(constants + nodes, kind, inputs, outputs, [weight])
    os.makedirs(folder, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "model.onnx")
    np.savez(folder / "data.npz", **{name: array for name, array in arrays.items() if name in used})


def read_variables(path):
    raw = path.read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    entries = json.loads(raw[8:8 + length])
    return {name: np.frombuffer(raw[8 + length + entry["data_offsets"][0]:8 + length + entry["data_offsets"][1]], np.float32)
            for name, entry in entries.items() if name != "__metadata__"}


def train(dist_run, folder, ranks, keys):
    """The variables and metrics, or what the run said where it failed. One rank without keys trains once for all calls with a folder."""
    name = f"{ranks}" if keys or ranks > 1 else "one"
    if name == "one" and (folder / "one.jsonl").exists():
        return read_results(folder, name)
    command = [dist_run, "-n", str(ranks), folder / "model.onnx", "--dataset", folder / "data.npz", "--shuffle=false", "--steps", "2",
               f"--train=loss=output:loss optimizer=sgd learning-rate=0.01 global-batch={BATCH}", "--save", folder / f"{name}.safetensors",
               "--metrics", folder / f"{name}.jsonl"] + ([f"--distribute={keys}"] if keys and ranks > 1 or keys.startswith("accumulate") else [])
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        return run.stderr
    return read_results(folder, name)


def read_results(folder, name):
    metrics = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
    return read_variables(folder / f"{name}.safetensors"), metrics


def find_difference(one, other, limit, names):
    for name, expected in one[0].items():
        distance = np.linalg.norm(expected - other[0][name]) / np.linalg.norm(expected)
        if not distance <= limit:
            return f"variable {name} is {distance:.1e} off"
    for expected, found in zip(one[1], other[1]):
        for name in names:
            if not abs(expected[name] - found[name]) <= limit * max(abs(expected[name]), 1e-3):
                return f"metric {name} is {found[name]}, not {expected[name]}"
    return None


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("dist_run")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--kinds", nargs="*", default=list(KINDS))
    arguments.add_argument("--ranks", nargs="*", type=int, default=[2, 3, 4])
    arguments.add_argument("--distribute", default="")
    arguments.add_argument("--limit", type=float, default=1e-5)
    a = arguments.parse_args()
    failed = 0
    for kind in a.kinds:
        folder = a.folder / kind
        write(kind, folder)
        one = train(a.dist_run, folder, 1, "")
        for ranks in a.ranks:
            other = train(a.dist_run, folder, ranks, a.distribute) if not isinstance(one, str) else one
            problem = other if isinstance(other, str) else find_difference(one, other, a.limit, ["loss"] + METRICS.get(kind, []))
            failed += problem is not None
            print(f"{kind}, {ranks} ranks: {problem or 'equal'}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
