"""Hostile .onnx files: bytes that are no model, models whose graphs lie, external data that leads astray."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os

import numpy as np
from onnx import TensorProto, helper

FLOAT = TensorProto.FLOAT


def tensor(name="w", dims=(4, 4), data=b"\0" * 64, data_type=FLOAT):
    """An initializer that may contradict itself: nothing is checked."""
    result = TensorProto(name=name, data_type=data_type, raw_data=data)
    result.dims.extend(dims)
    return result


def external(location, offset=None, length=None, dims=(4, 4)):
    result = TensorProto(name="w", data_type=FLOAT, data_location=TensorProto.EXTERNAL)
    result.dims.extend(dims)
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        if value is not None:
            result.external_data.add(key=key, value=str(value))
    return result


def model(initializers=(), nodes=None, outputs=("y",), opset=17, inputs=None):
    """x [N,4] times w [4,4]; each part can be replaced by a broken one."""
    if nodes is None:
        nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name="product")]
    if inputs is None:
        inputs = [helper.make_tensor_value_info("x", FLOAT, ["N", 4])]
    graph = helper.make_graph(nodes, "hostile", inputs,
                              [helper.make_tensor_value_info(name, FLOAT, ["N", 4]) for name in outputs],
                              initializer=list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def node(op, inputs, outputs, name, **attributes):
    return helper.make_node(op, inputs, outputs, name=name, **attributes)


def broken_bytes():
    whole = model([tensor()]).SerializeToString()
    return {
        "empty.onnx": (b"", "an empty file"),
        "truncated.onnx": (whole[:len(whole) // 2], "the second half is missing"),
        "truncated-by-one.onnx": (whole[:-1], "the last byte is missing"),
        "garbage.onnx": (np.random.RandomState(7).bytes(4096), "random bytes"),
        "text.onnx": (b"this is not a model\n" * 20, "plain text"),
        "length-overflow.onnx": (b"\x08\x08\x3a" + b"\xff" * 9 + b"\x01" + b"\0" * 16,
                                 "a field claims 2^64-1 bytes"),
        "deep-nesting.onnx": (nested_graphs(400), "400 graphs inside each other"),
    }


def nested_graphs(depth):
    """If nodes in If nodes; written as bytes because the protobuf library refuses to build it deep."""
    def field(number, content):
        size, length = b"", len(content)
        while length > 127:
            size += bytes([length & 127 | 128])
            length >>= 7
        return bytes([number << 3 | 2]) + size + bytes([length]) + content

    graph = b""
    for _ in range(depth):
        attribute = field(1, b"then_branch") + b"\xa0\x01\x05" + field(6, graph)
        graph = field(1, field(4, b"If") + field(2, b"y") + field(5, attribute))
    return b"\x08\x08" + field(7, graph) + field(8, b"\x0a\x00\x10\x11")


def broken_tensors():
    w = tensor()
    return {
        "negative-dimension.onnx": ([tensor(dims=(-4, -4))], "dimensions -4 x -4"),
        "huge-dimensions.onnx": ([tensor(dims=(1 << 40, 1 << 40))], "the element count overflows 64 bits"),
        "huge-product.onnx": ([tensor(dims=(1 << 31, 1 << 31))], "2^62 elements claimed, 64 bytes given"),
        "short-data.onnx": ([tensor(data=b"\0" * 60)], "raw data of 60 bytes for 16 floats"),
        "long-data.onnx": ([tensor(data=b"\0" * 68)], "raw data of 68 bytes for 16 floats"),
        "unknown-type.onnx": ([tensor(data_type=99)], "element type 99"),
        "undefined-type.onnx": ([tensor(data_type=0)], "element type UNDEFINED"),
        "duplicate-initializer.onnx": ([w, tensor()], "two initializers named w"),
        "unnamed-initializer.onnx": ([w, tensor(name="")], "an initializer without a name"),
    }


def broken_graphs():
    product = node("MatMul", ["x", "w"], ["y"], "product")
    cases = {
        "dangling-input.onnx": ([node("MatMul", ["x", "nowhere"], ["y"], "product")], "reads a value that no one makes"),
        "cycle.onnx": ([node("Add", ["x", "b"], ["a"], "first"), node("Add", ["a", "x"], ["b"], "second"),
                        node("Add", ["a", "b"], ["y"], "sum")], "two nodes that feed each other"),
        "duplicate-value.onnx": ([product, node("Relu", ["x"], ["y"], "again")], "two nodes make y"),
        "self-reference.onnx": ([node("Relu", ["y"], ["y"], "self")], "a node reads its own result"),
        "missing-operand.onnx": ([node("MatMul", ["x"], ["y"], "product")], "MatMul with one operand"),
        "no-results.onnx": ([node("MatMul", ["x", "w"], [], "product")], "MatMul without a result, y undefined"),
        "many-operands.onnx": ([node("Relu", ["x"] * 1000, ["y"], "relu")], "Relu with 1,000 operands"),
        "wrong-attribute-type.onnx": ([node("Flatten", ["x"], ["y"], "flatten", axis="one")], "axis is a string"),
        "axis-out-of-range.onnx": ([node("Flatten", ["x"], ["y"], "flatten", axis=1 << 40)], "axis 2^40"),
        "huge-kernel.onnx": ([node("MaxPool", ["x"], ["y"], "pool", kernel_shape=[1 << 62, 1 << 62])],
                             "a pooling window of 2^62"),
        "zero-stride.onnx": ([node("MaxPool", ["x"], ["y"], "pool", kernel_shape=[1, 1], strides=[0, 0])],
                             "a stride of 0"),
        "empty-op-name.onnx": ([node("", ["x"], ["y"], "nameless")], "a node without an operator"),
    }
    return {name: (model([tensor()], nodes), reason) for name, (nodes, reason) in cases.items()}


def more_graphs():
    rank = helper.make_tensor_value_info("x", FLOAT, ["N"] * 5000)
    negative = helper.make_tensor_value_info("x", FLOAT, [-7, 4])
    no_opset = model([tensor()])
    del no_opset.opset_import[:]
    no_graph = model([tensor()])
    no_graph.ClearField("graph")
    return {
        "missing-output.onnx": (model([tensor()], outputs=("y", "z")), "an output that no node makes"),
        "future-opset.onnx": (model([tensor()], opset=9999), "opset 9999"),
        "no-opset.onnx": (no_opset, "no opset import"),
        "no-graph.onnx": (no_graph, "a model without a graph"),
        "rank-5000.onnx": (model([tensor()], inputs=[rank]), "an input of rank 5,000"),
        "negative-input.onnx": (model([tensor()], inputs=[negative]), "an input dimension of -7"),
    }


def training_cases():
    """Bindings of TrainingInfoProto that point nowhere or twice at the same variable."""
    def with_bindings(*pairs):
        result = model([tensor()])
        step = helper.make_graph([node("Identity", ["w"], ["w.next"], "keep")], "algorithm", [],
                                 [helper.make_tensor_value_info("w.next", FLOAT, [4, 4])])
        result.training_info.append(helper.make_training_info(step, list(pairs), None, None))
        return result

    return {
        "binding-unknown-key.onnx": (with_bindings(("ghost", "w.next")), "updates a variable that is not there"),
        "binding-unknown-value.onnx": (with_bindings(("w", "ghost")), "updates from a value that is not there"),
        "binding-twice.onnx": (with_bindings(("w", "w.next"), ("w", "w.next")), "updates one variable twice"),
    }


def external_cases(folder):
    """Location, offset and length of external data; data.bin holds exactly the 64 bytes that w needs."""
    with open(os.path.join(folder, "data.bin"), "wb") as file:
        file.write(b"\0" * 64)
    link = os.path.join(folder, "link.bin")
    if not os.path.islink(link):
        os.symlink("../secret.bin", link)
        os.symlink(folder, os.path.join(folder, "here"))
        os.mkfifo(os.path.join(folder, "pipe.bin"))
    return {
        "external-parent.onnx": (external("../secret.bin"), "the path leaves the model's folder"),
        "external-nested-parent.onnx": (external("a/../../secret.bin"), "the path leaves it on a detour"),
        "external-absolute.onnx": (external(os.path.join(os.path.dirname(folder), "secret.bin")), "an absolute path"),
        "external-symlink.onnx": (external("link.bin"), "a symbolic link out of the folder"),
        "external-symlink-absolute.onnx": (external("here/link.bin"), "a symbolic link to an absolute path"),
        "external-pipe.onnx": (external("pipe.bin"), "a pipe that nobody writes to"),
        "external-directory.onnx": (external("."), "the path is a folder"),
        "external-no-location.onnx": (external(None), "no location at all"),
        "external-empty-location.onnx": (external(""), "an empty location"),
        "external-nul.onnx": (external("data.bin\0/../../secret.bin"), "a NUL byte in the path"),
        "external-offset-past-end.onnx": (external("data.bin", offset=65), "the offset is beyond the end"),
        "external-offset-overflow.onnx": (external("data.bin", offset=(1 << 64) - 16, length=64),
                                          "offset plus length overflows"),
        "external-negative-offset.onnx": (external("data.bin", offset=-4), "a negative offset"),
        "external-offset-text.onnx": (external("data.bin", offset="twelve"), "an offset that is no number"),
        "external-length-past-end.onnx": (external("data.bin", offset=0, length=1 << 40), "more bytes than there are"),
        "external-length-mismatch.onnx": (external("data.bin", offset=0, length=32), "32 bytes for 16 floats"),
        "external-huge-dims.onnx": (external("data.bin", dims=(1 << 33, 1 << 33)), "dimensions beyond the file"),
    }


def files(folder):
    """{file name: (bytes, what is wrong)}; writes data.bin and link.bin for the external cases."""
    result = broken_bytes()
    for name, (initializers, reason) in broken_tensors().items():
        result[name] = (model(initializers).SerializeToString(), reason)
    for name, (proto, reason) in {**broken_graphs(), **more_graphs(), **training_cases()}.items():
        result[name] = (proto.SerializeToString(), reason)
    for name, (initializer, reason) in external_cases(folder).items():
        result[name] = (model([initializer]).SerializeToString(), reason)
    return result
