"""What exporters write and nothing can train as it is: prints what is said of it.

    exporter_refusals.py DIST_RUN FOLDER            ends with 1 if one of them is trained

What is told to do instead is a case of exporter_forms.py or branches.py, but for what another batch does.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

import numpy as np
from onnx import TensorProto, helper

import exporter_forms
import numpy_models
from numpy_models import Graph, floats


def chosen_by_a_mask(g):
    """h[mask]"""
    places = g("Transpose", g("NonZero", g("Cast", "m", to=TensorProto.BOOL)), perm=[1, 0])
    g("GatherND", g("MatMul", "x", "w"), places, out="y")


def repeated_as_data_say(g):
    """torch.repeat_interleave(h, n, 0)"""
    g("Identity", exporter_forms.repeat_interleave(g, g("MatMul", "x", "w"), "n"), out="y")


def more_chunks_than_rows(g):
    """The last one of h.chunk(8), which a batch of 12 does not have."""
    h = g("MatMul", "x", "w")
    *_, last = g("Split", h, exporter_forms.chunk_sizes(g, h, 8), out=8, axis=0)
    g("Mul", h, g("ReduceMean", last, axes=[0]), out="y")


def unequal_parts(g):
    """Five equal parts of a batch of 12."""
    first, *_ = g("Split", g("MatMul", "x", "w"), out=5, axis=0)
    g("Identity", first, out="y")


def bags_out_of_order(g):
    """nn.EmbeddingBag with offsets that go back."""
    exporter_forms.embedding_bag(g, "ReduceSum")


def a_loop_until_it_is_small(g):
    """while h.square().sum() > 1: h = h / 2"""
    body = [helper.make_node("Mul", ["old", "half"], ["new"]), helper.make_node("ReduceSumSquare", ["new"], ["size"], keepdims=0),
            helper.make_node("Greater", ["size", "one"], ["more"])]
    ins = [helper.make_tensor_value_info("at", TensorProto.INT64, []), helper.make_tensor_value_info("on", TensorProto.BOOL, []),
           helper.make_tensor_value_info("old", TensorProto.DOUBLE, None)]
    outs = [helper.make_tensor_value_info("more", TensorProto.BOOL, []), helper.make_tensor_value_info("new", TensorProto.DOUBLE, None)]
    g("Identity", np.float64(1), out="one")
    g("Identity", np.float64(0.5), out="half")
    g("Loop", np.int64(2**63 - 1), np.bool_(True), g("MatMul", "x", "w"), out="y", body=helper.make_graph(body, "body", ins, outs))


def a_loop_as_often_as_data_say(g):
    """for i in range(n.max()): h = h * 2"""
    body = [helper.make_node("Add", ["old", "old"], ["new"]), helper.make_node("Identity", ["on"], ["more"])]
    ins = [helper.make_tensor_value_info("at", TensorProto.INT64, []), helper.make_tensor_value_info("on", TensorProto.BOOL, []),
           helper.make_tensor_value_info("old", TensorProto.DOUBLE, None)]
    outs = [helper.make_tensor_value_info("more", TensorProto.BOOL, []), helper.make_tensor_value_info("new", TensorProto.DOUBLE, None)]
    most = g("ReduceMax", "n", keepdims=0)
    g("Loop", most, np.bool_(True), g("MatMul", "x", "w"), out="y", body=helper.make_graph(body, "body", ins, outs))


DENSE = {"x": floats(24, 5)}
# The operator set, inputs and variables of each.
REFUSED = {
    chosen_by_a_mask: (17, {**DENSE, "m": np.ones((24, 3), np.int64)}, {"w": floats(5, 3)}),
    repeated_as_data_say: (17, {**DENSE, "n": np.ones(24, np.int64)}, {"w": floats(5, 3)}),
    more_chunks_than_rows: (17, DENSE, {"w": floats(5, 3)}),
    bags_out_of_order: (17, {"i": np.zeros((24, 3), np.int64), "n": np.where(np.arange(24) % 12 == 5, -2, 3)}, {"table": floats(7, 4)}),
    unequal_parts: (13, DENSE, {"w": floats(5, 3)}),
    a_loop_until_it_is_small: (17, DENSE, {"w": floats(5, 3)}),
    a_loop_as_often_as_data_say: (18, {**DENSE, "n": np.ones(24, np.int64)}, {"w": floats(5, 3)}),
}


def main():
    dist_run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for build, (opset, inputs, variables) in REFUSED.items():
        graph = Graph(opset)
        build(graph)
        numpy_models.write(folder / "model.onnx", graph, inputs, variables)
        np.savez(folder / "data.npz", **inputs)
        for ranks in (1, 2):
            found = numpy_models.train(dist_run, folder, ranks)
            said = [line.partition("error: ")[2] for line in found.splitlines() if "error: " in line] if isinstance(found, str) else []
            failed |= not said
            print(f"{build.__name__} on {ranks}: {' '.join(said) or 'trained'}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
