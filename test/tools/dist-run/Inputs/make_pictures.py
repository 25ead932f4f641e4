"""make_pictures.py digits_train.npz FOLDER: digits as folders of PNG files, an .npz with the same numbers, and a model of smaller pictures.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import struct
import sys
import zlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


def write_png(path, grey):
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    head = struct.pack(">IIBBBBB", grey.shape[1], grey.shape[0], 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write(folder, name, pixels, label):
    """Samples of a folder follow each other by class, then name."""
    order = numpy.lexsort((numpy.arange(len(label)), label))
    for i in order:
        write_png(folder / name / str(label[i]) / f"{i:03}.png", pixels[i])
    scaled = pixels[order].astype("f4") / numpy.float32(255)
    numpy.savez(folder / f"{name}.npz", image=scaled.reshape(-1, 1, 8, 8), label=label[order].astype("i8"))


def small_model(path):
    random = numpy.random.default_rng(1)
    values = [numpy_helper.from_array(random.normal(0, 0.1, (108, 10)).astype("f4"), "weight")]
    nodes = [helper.make_node("Flatten", ["input"], ["flat"]), helper.make_node("MatMul", ["flat", "weight"], ["output"])]
    graph = helper.make_graph(nodes, "small", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 3, 6, 6])],
                              [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", 10])], values)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def main():
    digits, folder = numpy.load(sys.argv[1]), pathlib.Path(sys.argv[2])
    pixels, label = (digits["input"][:80, 0] * 255).astype("u1"), digits["label"][:80]
    write(folder, "photos", pixels, label)
    few = numpy.isin(label, [2, 5, 9])
    write(folder, "few", pixels[few], label[few])
    small_model(folder / "small.onnx")


if __name__ == "__main__":
    main()
