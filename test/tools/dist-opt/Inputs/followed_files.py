"""Files that people take for a model, and what they are told to do about them, done:

    followed_files.py DIST_OPT DIST_RUN FOLDER            ends with 1 unless each is refused with its text, and what follows is a program

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import bz2
import gzip
import json
import lzma
import pathlib
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile

import numpy as np
import onnx
import onnx.parser
import onnx.version_converter
from google.protobuf import text_format
from onnx import TensorProto, helper, numpy_helper

# A linear layer, whose weight is an initializer, or an input that a file gives.
W = np.arange(12, dtype=np.float32).reshape(4, 3) / 8
TEXT = '<ir_version: 8, opset_import: ["": 17]> g (float[N,4] x{0}) => (float loss) {{ y = MatMul(x, w)  s = Mul(y, y)  loss = ReduceMean<keepdims = 0>(s) }}'
GIVE, TOO = "give the model as the program, and data to --dataset", "give the model as the program, and this file to --variables or --load"
OPENS = {"png": b"\x89PNG\r\n\x1a\n", "jpeg": b"\xff\xd8\xff\xe0", "pdf": b"%PDF-1.5\n"}


def model():
    made = onnx.parser.parse_model(TEXT.format(""))
    made.graph.initializer.append(numpy_helper.from_array(W, "w"))
    return made


def safetensors(path):
    header = json.dumps({"w": {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, W.nbytes]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + W.tobytes())


class Follower:
    def __init__(self, dist_opt, dist_run, folder):
        self.dist_opt, self.dist_run, self.folder, self.failed = dist_opt, dist_run, folder, False

    def run(self, *command):
        done = subprocess.run([*command], capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stderr

    def opens(self, file, *flags):
        return self.run(self.dist_opt, file, *flags, "-o", "/dev/null")

    def trains(self, file, *flags):
        return self.run(self.dist_run, file, "--dataset", self.folder / "data.npz", "--steps", "2",
                        "--train=loss=output optimizer=sgd learning-rate=0.1 global-batch=4", *flags)

    def follow(self, name, text, file, problem, said=None):
        """`problem` is what is wrong with what follows, `said` what was said of the file, if it was not dist-opt that said it."""
        said = said or self.opens(file)
        if text not in said:
            problem = f"{file.name} is not refused so: {said or 'it is a program'}"
        self.failed |= bool(problem)
        print(f"{name}: {problem or 'it helps'}")

    def packed(self, plain):
        """Packed files, by the way to unpack each."""
        content, folder = plain.read_bytes(), self.folder
        for kind, module, text in (("gz", gzip, "unpack it first (gunzip)"), ("bz2", bz2, "unpack it first (bunzip2)"), ("xz", lzma, "unpack it first (unxz)")):
            path, unpacked = folder / f"m.onnx.{kind}", folder / f"of_{kind}.onnx"
            path.write_bytes(module.compress(content))
            unpacked.write_bytes(module.decompress(path.read_bytes()))
            self.follow(kind, text, path, self.trains(unpacked))
        for kind, text in (("zip", "unpack it, and give the model in it"), ("tar", "unpack it (tar -xf), and give the model in it")):
            path, out = folder / f"m.{kind}", folder / kind
            if kind == "zip":
                with zipfile.ZipFile(path, "w") as archive:
                    archive.write(plain, "m.onnx")
            else:
                with tarfile.open(path, "w") as archive:
                    archive.add(plain, "m.onnx")
            shutil.unpack_archive(path, out)
            self.follow(kind, text, path, self.trains(out / "m.onnx"))

    def data(self, plain):
        for name in ("data.npz", "data.npy"):
            self.follow(name, GIVE, self.folder / name, self.trains(plain))
        for name in ("png", "jpeg", "pdf"):
            path = self.folder / f"data.{name}"
            path.write_bytes(OPENS[name] + bytes(64))
            self.follow(name, "give a model" if name == "pdf" else GIVE, path, self.trains(plain))
        tensor = self.folder / "input_0.pb"
        tensor.write_bytes(numpy_helper.from_array(W, "w").SerializeToString())
        self.follow("tensor", "give the model", tensor, self.trains(plain))

    def weights(self, plain):
        given = self.folder / "w.safetensors"
        safetensors(given)
        without = self.folder / "without.onnx"
        onnx.save(onnx.parser.parse_model(TEXT.format(", float[4,3] w")), without)
        self.follow("weights to --variables", TOO, given, self.trains(without, "--variables", given))
        self.follow("weights to --load", TOO, given, self.trains(plain, "--load", given))

    def forms(self, plain):
        """The same model, written in other ways."""
        made, folder = model(), self.folder
        text = "read it with onnx.parser or google.protobuf.text_format, and store it with onnx.save"
        written, stored = folder / "m.prototxt", folder / "stored.onnx"
        written.write_text(text_format.MessageToString(made))
        onnx.save(text_format.Parse(written.read_text(), onnx.ModelProto()), stored)
        self.follow("text of a proto", text, written, self.trains(stored))
        spoken = folder / "m.txt"
        spoken.write_text(TEXT.format(", float[4,3] w"))
        onnx.save(onnx.parser.parse_model(spoken.read_text()), stored)
        self.follow("text of the parser", text, spoken, self.opens(stored))
        (folder / "m.json").write_text('{"graph": {}}\n')
        self.follow("JSON", "give the model itself, a file of ONNX or MLIR", folder / "m.json", self.trains(plain))
        (folder / "notes.md").write_text("# Notes\n")
        self.follow("notes", "give an ONNX model, MLIR text or MLIR bytecode", folder / "notes.md", self.trains(plain))
        inside = folder / "inside"
        inside.mkdir()
        self.follow("empty folder", "it is a folder; give a file in it", inside, self.trains(plain))
        shutil.copy(plain, inside / "m.onnx")
        self.follow("folder", "it is a folder; give the file in it: m.onnx", inside, self.trains(inside / "m.onnx"))
        torn = folder / "torn.onnx"
        torn.write_bytes(plain.read_bytes()[:-20])
        self.follow("torn", "download it again, or export the model again", torn, self.trains(plain))

    def converted(self):
        old = onnx.parser.parse_model('<ir_version: 8, opset_import: ["": 5]> g (float[4,3] x) => (float[4,3] y) { y = Relu(x) }')
        path, newer = self.folder / "old.onnx", self.folder / "newer.onnx"
        onnx.save(old, path)
        onnx.save(onnx.version_converter.convert_version(old, 13), newer)
        self.follow("opset", "convert the model, or export it again", path, self.opens(newer))

    def large(self):
        """A file with a hole, as long as no protocol buffer may be."""
        path, stored = self.folder / "large.onnx", self.folder / "stored_outside.onnx"
        onnx.save(model(), path)
        with path.open("r+b") as file:
            file.truncate((2 << 30) + 1)
        onnx.save(model(), str(stored), save_as_external_data=True, location="weights.bin", size_threshold=0)
        self.follow("large", "store the weights as external data", path, self.trains(stored))
        path.unlink()
        outside = self.folder / "weights.bin"
        kept = outside.read_bytes()
        outside.unlink()
        said = self.trains(stored)
        outside.write_bytes(kept)
        self.follow("missing", "put the file there, as it was exported, and give the model again", stored, self.trains(stored), said)

    def copied(self):
        """One initializer of which Identities make more than there is room for; a tenth of them as initializers, so that no large file is written."""
        names = [f"i{number}" for number in range(4000)]
        nodes = [helper.make_node("Identity", ["w"], [name]) for name in names] + [helper.make_node("Sum", ["w", *names], ["y"])]
        weight, value = np.ones(8192, np.float32), helper.make_tensor_value_info("y", TensorProto.FLOAT, [8192])
        opsets = [helper.make_opsetid("", 17)]
        path, written = self.folder / "copied.onnx", self.folder / "written.onnx"
        # A typed field, which is copied; raw bytes stay in the file.
        graph = helper.make_graph(nodes, "g", [], [value], [helper.make_tensor("w", TensorProto.FLOAT, weight.shape, weight)])
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
        kept = ["w", *names[:400]]
        node = helper.make_node("Sum", kept, ["y"])
        graph = helper.make_graph([node], "g", [], [value], [numpy_helper.from_array(weight, name) for name in kept])
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), written)
        self.follow("copies", "make them initializers", path, self.opens(written))

    def quantized(self, plain):
        node = helper.make_node("MatMulNBits", ["x", "q", "s"], ["y"], domain="com.microsoft", K=4, N=3, bits=4, block_size=16)
        given = [helper.make_tensor_value_info(name, kind, shape)
                 for name, kind, shape in (("x", TensorProto.FLOAT, ["N", 4]), ("q", TensorProto.UINT8, [3, 1, 8]), ("s", TensorProto.FLOAT, [3]))]
        graph = helper.make_graph([node], "g", given, [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 3])])
        path = self.folder / "quantized.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8), path)
        self.follow("quantized", "give the model of floats that it was made from", path, self.trains(plain))


def main():
    folder = pathlib.Path(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    follower, plain = Follower(sys.argv[1], sys.argv[2], folder), folder / "m.onnx"
    onnx.save(model(), plain)
    np.savez(folder / "data.npz", x=np.ones((8, 4), np.float32))
    np.save(folder / "data.npy", np.ones((8, 4), np.float32))
    follower.packed(plain)
    follower.data(plain)
    follower.weights(plain)
    follower.forms(plain)
    follower.converted()
    follower.large()
    follower.copied()
    follower.quantized(plain)
    sys.exit(follower.failed)


if __name__ == "__main__":
    main()
