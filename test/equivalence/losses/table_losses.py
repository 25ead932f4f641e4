"""Losses of each kind over looked-up rows: on one rank, with gradients that travel as rows, and with tables on servers.

    table_losses.py DIST_RUN FOLDER

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, parser

from batch_losses import read_variables

KINDS = {
    "mean": ["loss = ReduceMean<keepdims = 0>(s)"],
    "sum": ["loss = ReduceSum<keepdims = 0>(s)"],
    "root_of_sum": ["t = ReduceSum<keepdims = 0>(s)", "loss = Sqrt(t)"],
    "contrastive": ["zt = Transpose<perm = [1, 0]>(z)", "q = MatMul(z, zt)", "p = LogSoftmax<axis = 1>(q)", "m = ReduceMean<keepdims = 0>(p)", "loss = Neg(m)"],
}
WAYS = {"rows on 2 ranks": ["-n", "2", "--distribute=sparse=rows"], "rows on 3 ranks": ["-n", "3", "--distribute=sparse=rows"],
        "a table on 2 servers": ["--local-cluster", "ps=2,worker=3", "--distribute=serve=table"],
        "all on a server": ["--local-cluster", "ps=1,worker=2", "--distribute=serve=*"]}


def write(kind, path):
    source = np.random.default_rng(0)
    lines = ["e = Gather(table, i)", "z = MatMul(e, W)", "s = Mul(z, z)"] + KINDS[kind]
    nodes = list(parser.parse_graph("g () => () {\n" + "\n".join(lines) + "\n}").node)
    for node in nodes:
        node.name = node.output[0]
    variables = [numpy_helper.from_array(source.standard_normal(shape).astype(np.float32), name) for name, shape in (("table", (50, 4)), ("W", (4, 3)))]
    graph = helper.make_graph(nodes, kind, [helper.make_tensor_value_info("i", TensorProto.INT64, ["N"])],
                              [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])], variables)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def main():
    dist_run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "data.npz", i=np.random.default_rng(1).integers(0, 50, 24))
    failed = False
    for kind in KINDS:
        write(kind, folder / "model.onnx")

        def train(way):
            command = [dist_run, folder / "model.onnx", "--dataset", folder / "data.npz", "--shuffle=false", "--steps", "3", "--save", folder / "out.safetensors",
                       "--train=loss=output optimizer=sgd learning-rate=0.003 global-batch=12", *way]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            return run.stderr if run.returncode else read_variables(folder / "out.safetensors")
        expected = train([])
        for name, way in WAYS.items():
            found = train(way)
            problem = found if isinstance(found, str) else ", ".join(
                variable for variable, value in expected.items() if not np.linalg.norm(value - found[variable]) <= 1e-5 * np.linalg.norm(value))
            failed |= bool(problem)
            print(f"{kind}, {name}: {problem or 'equal'}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
