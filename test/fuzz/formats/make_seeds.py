#!/usr/bin/python3
"""Writes the seeds of the fuzzers beside this file: small whole files of each format, and some that are not quite whole.

    make_seeds.py FOLDER DIST_OPT      DIST_OPT makes the bytecode; cache-entry and manifest are kept as a compiler wrote them
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import io
import json
import os
import struct
import subprocess
import sys
import zipfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models"))
import ort_checkpoint  # noqa: E402

PROGRAM = """module attributes {train.program, train.at_launch = ["collective-fuse{bucket-bytes=64}"]} {
  collective.group @world
  train.dataset @data {global_batch = 4 : i64, shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<2xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    return %w : tensor<2xf32>
  }
  func.func @step(%w: tensor<2xf32> {train.variable = #train.variable<"w", trainable>},
                  %x: tensor<?x2xf32> {train.input = #train.input<"x", @data>},
                  %rate: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 1.0e-1>})
      -> (tensor<2xf32> {train.variable = #train.variable<"w", trainable>}, tensor<f32> {train.metric = "loss"}) {
    %s = onnx.ReduceSum %x {keepdims = 0 : i64} : (tensor<?x2xf32>) -> tensor<f32>
    %loss = collective.all_reduce mean %s on @world : tensor<f32>
    %sum = arith.addf %w, %w : tensor<2xf32>
    return %sum, %loss : tensor<2xf32>, tensor<f32>
  }
} loc("program":1:2)
"""

LOOP = """#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @forward(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %r = scf.for %i = %zero to %four step %one iter_args(%a = %x) -> (tensor<4x3xf32>) {
    %b = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<4x3xf32>) outs(%a : tensor<4x3xf32>) {
      ^bb0(%in: f32, %out: f32):
        %e = math.exp %in : f32
        linalg.yield %e : f32
    } -> tensor<4x3xf32>
    scf.yield %b : tensor<4x3xf32>
  }
  return %r : tensor<4x3xf32>
}
"""

CLUSTER = {
    "nodes": 2, "ranks_per_node": 4, "cores_per_node": 8,
    "levels": {"node": {"transport": "memory", "latency": 1e-6, "bandwidth": 1e10},
               "network": {"transport": "messages", "latency": 5e-5, "bandwidth": 1e9, "message_overhead": 1e-6,
                           "processor_per_byte": 1e-11}},
    "compute": {"matmul": 1e11, "convolution": 5e10, "loop": 1e10, "memory": 1e10, "kernel_overhead": 1e-6,
                "step_overhead": 1e-5, "matmul_memory": 1e10, "sharing": {"matmul": 1, "convolution": 1.5, "loop": 2, "memory": 2}}}


MANIFEST = {'abi': 6,
             'program': 'p',
             'fingerprint': 'f',
             'ranks': 2,
             'global_batch': 8,
             'local_batch': 4,
             'samples_per_step': 8,
             'batch_policy': 'error',
             'shard': 'contiguous',
             'arena': {'initialize': 10, 'step': 300, 'evaluate': 20},
             'variables': [{'name': 'w', 'class': 'trainable', 'type': 'f32', 'shape': [2, 3]},
                           {'name': 'm',
                            'class': 'state',
                            'type': 'f32',
                            'shape': [3],
                            'placement': 'sharded',
                            'whole': [2, 3]},
                           {'name': 'r', 'class': 'state', 'type': 'f32', 'shape': [2], 'placement': 'per_rank'}],
             'step': {'inputs': [{'name': 'x', 'type': 'f32', 'shape': [4, 2]}],
                      'hyperparameters': [{'name': 'lr', 'type': 'f32', 'shape': [], 'value': 0.5}],
                      'metrics': [{'name': 'loss', 'type': 'f32', 'shape': []}],
                      'outputs': []},
             'evaluate': {'variables': [0],
                          'batch': 3,
                          'inputs': [{'name': 'x', 'type': 'f32', 'shape': [3, 2]}],
                          'metrics': [{'name': 'loss', 'type': 'f32', 'shape': [3]}]},
             'groups': [{'number': 1, 'name': 'pair', 'members': 'ranks', 'sets': [[1, 0]]},
                        {'number': 2, 'name': 'node', 'members': 'per_node', 'size': 2}],
             'plan': [{'id': 0, 'op': 'all_reduce', 'reduction': 'mean', 'source': ['w', 'b', 'c']}]}


def npy(array, version=(1, 0)):
    out = io.BytesIO()
    numpy.lib.format.write_array(out, array, version)
    return out.getvalue()


def npz(compression, **arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, array in arrays.items():  # a date of its own would make each run another file
            info = zipfile.ZipInfo(name + ".npy", (2020, 1, 1, 0, 0, 0))
            info.compress_type = compression
            archive.writestr(info, npy(array))
    return out.getvalue()


def safetensors(tensors, metadata=None):
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def run_checkpoints(floats):
    """Of one rank, of which each rank takes what it holds; as it is, and with what does not fit."""
    metadata = {"tutti.run": "1", "program": "p", "fingerprint": "f", "plan": "00000000", "launch": "7", "step": "1", "epoch": "0",
                "batch_of_epoch": "1", "seed": "0", "shuffle": "true", "samples": "10", "batch": "4", "global_batch": "4",
                "batch_policy": "error", "shard_mode": "1", "ranks": "1", "rank": "0", "files": "1",
                "hyperparameters": json.dumps({"learning_rate": 0.1}), "checksum": "crc32c:0000000000000000"}
    tensors = {name: ("F32", [2, 3], floats) for name in ("weight", "moment", "local")}
    for name, moment, local in (("whole", {}, {}), ("own", {}, {"placement": "per_rank"}),
                                ("parts", {"placement": "shard", "whole": [2, 3]}, {"placement": "per_rank"})):
        variables = {"weight": {"kind": "trainable"}, "moment": {"kind": "state", **moment}, "local": {"kind": "trainable", **local}}
        yield name + ".safetensors", safetensors(tensors, {**metadata, "variables": json.dumps(variables)})


def tensor(values, kind, dims, name="t", raw=False):
    return helper.make_tensor(name, kind, dims, values, raw=raw)


def model(nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]).SerializeToString()


def models():
    f32 = TensorProto.FLOAT
    value = helper.make_tensor_value_info
    weight = numpy_helper.from_array(numpy.arange(6, dtype=numpy.float32).reshape(3, 2), "weight")
    bias = tensor([1.0, 2.0], f32, [2], "bias")
    external = TensorProto(name="far", data_type=f32, dims=[2], data_location=TensorProto.EXTERNAL)
    external.external_data.add(key="location", value="weights.bin")
    yield "linear", model([helper.make_node("Gemm", ["x", "weight", "bias"], ["h"], "fc", alpha=0.5),
                           helper.make_node("Relu", ["h"], ["y"], "relu")],
                          [value("x", f32, ["N", 3])], [value("y", f32, ["N", 2])], [weight, bias])
    yield "shapes", model([helper.make_node("Reshape", ["x", "shape"], ["r"], "reshape"),
                           helper.make_node("Transpose", ["r"], ["t"], "turn", perm=[1, 0]),
                           helper.make_node("ReduceSum", ["t", "axes"], ["y"], "sum", keepdims=0)],
                          [value("x", f32, [2, 3])], [value("y", f32, None)],
                          [tensor([3, 2], TensorProto.INT64, [2], "shape"), tensor([0], TensorProto.INT64, [1], "axes")])
    yield "window", model([helper.make_node("Conv", ["x", "k"], ["c"], "conv", kernel_shape=[2, 2], pads=[0, 1, 0, 1]),
                           helper.make_node("MaxPool", ["c"], ["y"], "pool", kernel_shape=[2, 2], strides=[2, 2])],
                          [value("x", f32, ["N", 1, 4, 4])], [value("y", f32, None)],
                          [numpy_helper.from_array(numpy.ones((1, 1, 2, 2), numpy.float32), "k")])
    yield "external", model([helper.make_node("Add", ["x", "far"], ["y"], "add")],
                            [value("x", f32, [2])], [value("y", f32, [2])], [external])
    branch = helper.make_graph([helper.make_node("Identity", ["x"], ["b"])], "branch", [], [value("b", f32, [2])])
    yield "branches", model([helper.make_node("If", ["c"], ["y"], "if", then_branch=branch, else_branch=branch)],
                            [value("c", TensorProto.BOOL, []), value("x", f32, [2])], [value("y", f32, [2])])


def checkpoints():
    """Of ONNX Runtime's training."""
    weight = ort_checkpoint.tensor("w", numpy.arange(6, dtype=numpy.float32).reshape(3, 2))
    scale = ort_checkpoint.tensor("scale", numpy.float64([2, 3]))
    moments = [ort_checkpoint.tensor(name, numpy.zeros((3, 2), numpy.float32)) for name in ("momentum0", "momentum1")]
    yield "untrained", ort_checkpoint.checkpoint([weight], [scale])
    yield "trained", ort_checkpoint.checkpoint([weight], [], [ort_checkpoint.group([("w", moments)], 7, 0.5)])
    yield "nominal", ort_checkpoint.checkpoint([ort_checkpoint.tensor("w", numpy.float32([]))], nominal=1)


SECRET = b"k" * 32  # as in RendezvousFuzzer.cpp


def invitation(secret, address):
    return b"tutti rendezvous 1\n" + secret.hex().encode() + b"\n" + address + b"\n"


def hello(purpose, rank, group, secret=SECRET):
    return b"tuttig2\n" + secret + struct.pack("<iiq", purpose, rank, group)


def note(rank, version, status, text, group=7, plan_entry=3, step=12):
    return struct.pack("<iIqqqii480s", rank, version, group, plan_entry, step, status, 0, text)


def notes(*entries):
    return struct.pack("<Q", len(entries)) + b"".join(entries)


def meetings():
    """What ranks read from each other; the first letter says as what."""
    yield "invitation4", b"i" + invitation(bytes(range(32)), b"127.0.0.1 4711")
    yield "invitation6", b"i" + invitation(SECRET, b"::1 65535")
    yield "descriptor", b"cdescriptor=7"
    yield "path", b"cpath=/proc/77/fd/7;descriptor=3"
    yield "meeting", b"g" + hello(1, 3, 0)
    yield "pair", b"g" + hello(3, 1, -5)
    yield "stranger", b"g" + hello(1, 3, 0, b"x" * 32)
    yield "short", b"g" + hello(2, 1, 0)[:40]
    waiting, failed = note(1, 1, 0, b"rank 1 of 5, step 12"), note(3, 4000000000, 5, b"t" * 480)
    yield "notes", b"n" + notes(waiting, failed) + notes(note(1, 2, 0, b"")) + notes()
    yield "half", b"n" + notes(waiting, failed)[:600]


def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def message(fields):
    """Of protobuf: {number: an integer, or bytes}."""
    out = b""
    for number, value in fields.items():
        is_bytes = isinstance(value, bytes)
        out += varint(number << 3 | (2 if is_bytes else 0)) + varint(len(value) if is_bytes else value)
        out += value if is_bytes else b""
    return out


def row_messages():
    """What workers ask of a server, as RowsFuzzer.cpp takes it."""
    def indices(*rows):
        return struct.pack(f"<{len(rows)}q", *rows)

    def floats(*values):
        return struct.pack(f"<{len(values)}f", *values)

    rate = floats(0.5) + bytes(4)
    greeting = {1: b"run", 2: 1, 3: 2, 4: 0, 5: 1}
    part = {1: 0, 2: indices(3, 63), 3: floats(1, 2, 3, 4), 4: rate}

    def pull(*parts, worker=0, step=0, states=0):
        return message({1: worker, 2: step, 3: states}) + b"".join(message({4: message(part)}) for part in parts)

    def push(*parts, worker=0, step=0):
        return message({1: worker, 2: step}) + b"".join(message({3: message(part)}) for part in parts)

    yield "greeting", b"g" + message(greeting)
    yield "stranger", b"g" + message({**greeting, 1: b"another run"})
    yield "pull", b"p" + pull({1: 0, 2: indices(0, 5, 63)})
    yield "pull-both", b"p" + pull({1: 1, 2: indices(0, 5, 63)}, {1: 0, 2: indices(7)})
    yield "pull-twice", b"p" + pull({1: 1, 2: indices(0, 5)}, {1: 1, 2: indices(7)})
    yield "nothing", b"p" + pull()
    yield "states", b"p" + pull({1: 0, 2: indices(7)}, states=1)
    yield "no-row", b"p" + pull({1: 0, 2: indices(64, -1)})
    yield "no-table", b"p" + pull({1: 2, 2: indices(0)})
    yield "many", b"p" + pull({1: 0, 2: indices(*[1] * 100)})
    yield "later", b"p" + pull({1: 0, 2: indices(0)}, step=10**18)
    yield "ahead", b"a" + pull({1: 0, 2: indices(3, 5)}, {1: 1, 2: indices(9)}, step=0)
    yield "ahead-states", b"a" + pull({1: 0, 2: indices(3, 5)}, states=1)
    yield "changed", b"p" + pull({1: 0, 3: 1}, {1: 1, 3: 1}, step=0)
    yield "changed-named", b"p" + pull({1: 0, 2: indices(3), 3: 1})
    yield "changed-states", b"p" + pull({1: 0, 3: 1}, states=1)
    yield "push0", b"u" + push(part, {**part, 1: 1})
    yield "push1", b"u" + push(part, {**part, 1: 1}, worker=1)
    yield "push-one", b"u" + push({**part, 1: 1})
    yield "push-twice", b"u" + push(part, part)
    yield "empty0", b"u" + push({**part, 2: b"", 3: b""})
    yield "empty1", b"u" + push({**part, 2: b"", 3: b""}, worker=1)
    yield "twice", b"u" + push({**part, 2: indices(3, 3)})
    yield "far", b"u" + push(part, step=10**18)
    yield "past", b"u" + push(part, step=-1)
    yield "half", b"u" + push(part, {**part, 1: 1, 3: floats(1, 2, 3)})
    yield "odd", b"u" + push({**part, 2: b"1234567"})
    yield "rates", b"u" + push({**part, 4: b"12"})
    yield "statistics", b"s" + message({1: b"run"})
    yield "position", b"o" + message({1: 1})
    yield "position-of-none", b"o" + message({1: 2})
    yield "waits", b"w"
    # Of a server whose tables are asynchronous, and warm up.
    yield "apart-pull", b"P" + pull({1: 0, 2: indices(0, 5, 63)}, worker=1)
    yield "apart-ahead", b"A" + pull({1: 0, 2: indices(3, 5)}, step=0)
    yield "apart-push0", b"U" + push(part, {**part, 1: 1})
    yield "apart-push1", b"U" + push(part, {**part, 1: 1}, worker=1)
    yield "apart-next0", b"U" + push(part, {**part, 1: 1}, step=1)
    yield "apart-next1", b"U" + push(part, {**part, 1: 1}, worker=1, step=1)
    yield "apart-position", b"O" + message({1: 0})
    yield "apart-statistics", b"S" + message({1: b"run"})


def tables():
    """The first byte says how the rest is read."""
    yield "numbers", b"\x01x,y\n1,2.5\n-3e2,4\n"
    yield "quoted", b'\x03x,y\r\n"1","2\n""3"""\r\n,4\r\n'
    yield "words", b"\x09x,y\nred,1\nblue,2\nred,3\n"
    yield "hashed", b"\x15\xef\xbb\xbfx;y\nred;1\nblue;2\n"
    yield "bare", b"\x001,2\n3,4"


def seeds():
    for name, content in tables():
        yield "csv", name + ".csv", content
    yield "tokens", "narrow.bin", b"\x02\x00" + struct.pack("<7H", *range(7))
    yield "tokens", "wide.bin", b"\x03\x01" + struct.pack("<8I", *range(8))
    for name, content in row_messages():
        yield "rows", name, content
    image = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    label = numpy.array([1, 0, 2], dtype=numpy.int64)
    for name, content in (("image", npy(image)), ("label", npy(label, (2, 0))), ("scalar", npy(numpy.float64(1.5))),
                          ("fortran", npy(numpy.asfortranarray(image))), ("empty", npy(numpy.zeros((0, 3), numpy.uint8))),
                          ("bool", npy(label > 0, (3, 0)))):
        yield "npy", name + ".npy", content
    yield "npz", "stored.npz", npz(zipfile.ZIP_STORED, image=image, label=label)
    yield "npz", "deflated.npz", npz(zipfile.ZIP_DEFLATED, image=numpy.zeros((64, 64), numpy.float32), label=label)
    for name, proto in (("raw", numpy_helper.from_array(image, "image")),
                        ("floats", tensor([1.0, 2.0], TensorProto.FLOAT, [2])),
                        ("int64s", tensor([1, -2, 3], TensorProto.INT64, [3])),
                        ("halves", tensor([1.0, 2.0], TensorProto.FLOAT16, [2])),
                        ("bools", tensor([True, False], TensorProto.BOOL, [2])),
                        ("doubles", tensor([0.5], TensorProto.DOUBLE, []))):
        yield "tensor-proto", name + ".pb", proto.SerializeToString()
    floats, count = numpy.arange(6, dtype=numpy.float32).tobytes(), struct.pack("<q", 7)
    yield "safetensors", "two.safetensors", safetensors({"weight": ("F32", [2, 3], floats), "steps": ("I64", [], count)})
    yield "safetensors", "metadata.safetensors", safetensors({"weight": ("F32", [2, 3], floats)}, {"model": "small"})
    yield "safetensors", "empty.safetensors", safetensors({})
    for name, content in run_checkpoints(floats):
        yield "run-checkpoint", name, content
    small = {key: CLUSTER[key] for key in ("ranks_per_node", "compute")}
    small.update(nodes=1, levels={"node": CLUSTER["levels"]["node"]})
    yield "cluster", "two-nodes.json", json.dumps(CLUSTER).encode()
    yield "cluster", "one-node.json", json.dumps(small, indent=1).encode()
    yield "manifest", "manifest.json", json.dumps(MANIFEST).encode()
    yield "manifest", "config.json", json.dumps(
        {"rank": 1, "ranks": 4, "programs": ["a.so"], "datasets": ["d.npz"], "steps": 5, "shuffle": True,
         "hyperparameters": {"learning_rate": 0.1}, "stall_error": 2.5, "backend": "shm"}).encode()
    for name, content in meetings():
        yield "rendezvous", name, content
    for name, content in models():
        yield "onnx", name + ".onnx", content
    for name, table in checkpoints():
        yield "ort-checkpoint", name, ort_checkpoint.write(table)
    for name, text in (("program", PROGRAM), ("loop", LOOP)):
        yield "mlir-text", name + ".mlir", text.encode()


def write(folder, kind, name, content):
    os.makedirs(os.path.join(folder, kind), exist_ok=True)
    with open(os.path.join(folder, kind, name), "wb") as file:
        file.write(content)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder, dist_opt = sys.argv[1:]
    for kind, name, content in seeds():
        write(folder, kind, name, content)
    for name, text in (("program", PROGRAM), ("loop", LOOP)):
        done = subprocess.run([dist_opt, "--emit-bytecode", "-"], input=text.encode(), capture_output=True, check=True)
        write(folder, "mlir-bytecode", name + ".mlirbc", done.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
