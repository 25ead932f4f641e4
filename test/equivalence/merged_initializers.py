"""A model in the forms in which an exporter writes it, and whether they are trained alike:

    merged_initializers.py write FOLDER
    merged_initializers.py compare PLAIN.safetensors OTHER.safetensors --limit LIMIT
    merged_initializers.py names MODEL.onnx OTHER.safetensors
    merged_initializers.py zeros MODEL.onnx PLAIN.onnx ZEROS.onnx VALUES.safetensors

FOLDER/plain.onnx has an initializer for each parameter and buffer. In FOLDER/merged.onnx equal ones are one and its Identities,
in FOLDER/folded.onnx transposed weights are calculated before that, as PyTorch's exporter does by default; FOLDER/kept.onnx is
folded, but not merged. FOLDER/data.npz is for all. `compare` finds a weight of the first also if the second has a transposed copy.
`names` counts the initializers that hold what a checkpoint does; `zeros` takes the values out of a model, into a file with those of the plain one.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import copy
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "checkpoints"))
from checkpoint_file import read_checkpoint, write_checkpoint  # noqa: E402

WORDS, WIDTH, LENGTH, CLASSES = 12, 8, 4, 12


class Writer:
    def __init__(self):
        self.random = np.random.RandomState(3)
        self.nodes, self.values, self.numbers = [], {}, 0

    def parameter(self, name, value):
        self.values[name] = np.asarray(value, np.float32)
        return name

    def node(self, op, name, inputs, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [f"{name}_output"], name=name, **attributes))
        return f"{name}_output"

    def linear(self, path, x, weight, bias=None, call=""):
        """As PyTorch writes a linear layer that takes more than two dimensions."""
        self.numbers += 1
        turned = f"onnx::MatMul_{100 + self.numbers}"
        self.nodes.append(helper.make_node("Transpose", [weight], [turned], name=f"{path}{call}/Transpose", perm=[1, 0]))
        y = self.node("MatMul", f"{path}{call}/MatMul", [x, turned])
        return self.node("Add", f"{path}{call}/Add", [bias, y]) if bias else y

    def norm(self, path, x):
        name = path.strip("/").split("/")[-1]
        return self.node("LayerNormalization", f"{path}/LayerNormalization",
                         [x, self.parameter(f"{name}.weight", np.ones(WIDTH)), self.parameter(f"{name}.bias", np.zeros(WIDTH))],
                         axis=-1)


def plain():
    """Layers that begin alike, a layer that is called twice, tables that are tied, and statistics."""
    w = Writer()
    table = w.parameter("emb.weight", 0.3 * w.random.standard_normal((WORDS, WIDTH)))
    x = w.node("Gather", "/emb/Gather", [table, "tokens"])
    weight, bias = 0.3 * w.random.standard_normal((WIDTH, WIDTH)), np.zeros(WIDTH)
    for layer in range(3):
        path, name = f"/layers.{layer}/fc", f"layers.{layer}.fc"
        y = w.norm(f"/norm{layer}", x)
        y = w.linear(path, y, w.parameter(f"{name}.weight", weight), w.parameter(f"{name}.bias", bias))
        x = w.node("Add", f"/add{layer}", [x, w.node("Tanh", f"/tanh{layer}", [y])])
    both = w.parameter("both.weight", 0.3 * w.random.standard_normal((WIDTH, WIDTH)))
    bare = w.parameter("bare.weight", 0.3 * w.random.standard_normal((WIDTH, WIDTH)))
    both_bias = w.parameter("both.bias", bias)
    for call in ("", "_1"):
        x = w.node("Add", f"/plus{call}", [x, w.node("Tanh", f"/act{call}", [w.linear("/both", x, both, both_bias, call)])])
        x = w.node("Add", f"/more{call}", [x, w.linear("/bare", x, bare, call=call)])
    x = w.linear("/head", w.norm("/last", x), table)
    x = w.node("ReduceMean", "/mean", [w.node("Relu", "/score", [x])], axes=[1], keepdims=0)
    scores = w.node("BatchNormalization", "/bn", [x, w.parameter("bn.weight", np.ones(CLASSES)),
                                                  w.parameter("bn.bias", np.zeros(CLASSES)),
                                                  w.parameter("bn.running_mean", np.zeros(CLASSES)),
                                                  w.parameter("bn.running_var", np.ones(CLASSES))])
    tensors = [numpy_helper.from_array(value, name) for name, value in w.values.items()]
    graph = helper.make_graph(w.nodes, "net", [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["batch", LENGTH])],
                              [helper.make_tensor_value_info(scores, TensorProto.FLOAT, ["batch", CLASSES])], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="pytorch")


def fold(model):
    """Calculates each Transpose of an initializer, and drops initializers that nobody uses any more."""
    model, values = copy.deepcopy(model), {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    for node in list(model.graph.node):
        if node.op_type == "Transpose" and node.input[0] in values:
            model.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values[node.input[0]].T), node.output[0]))
            model.graph.node.remove(node)
    used = {name for node in model.graph.node for name in node.input}
    for tensor in [t for t in model.graph.initializer if t.name not in used]:
        model.graph.initializer.remove(tensor)
    return model


def merge(model):
    """Keeps the first of equal initializers, and makes Identities of it of the others."""
    model, first = copy.deepcopy(model), {}
    for tensor in list(model.graph.initializer):
        kept = first.setdefault((tuple(tensor.dims), tensor.raw_data), tensor.name)
        if kept != tensor.name:
            model.graph.node.insert(0, helper.make_node("Identity", [kept], [tensor.name], name=f"Identity_{len(model.graph.node)}"))
            model.graph.initializer.remove(tensor)
    return model


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    model = plain()
    for name, form in (("plain", model), ("merged", merge(model)), ("kept", fold(model)), ("folded", merge(fold(model)))):
        onnx.checker.check_model(form)
        onnx.save(form, str(folder / f"{name}.onnx"))
    random = np.random.RandomState(4)
    np.savez(folder / "data.npz", tokens=random.randint(0, WORDS, (64, LENGTH)), label=random.randint(0, CLASSES, 64))


def find(name, value, others):
    """The tensor of that name, or the copy that is nearest to the transpose of `value`."""
    if name in others:
        return name, others[name]
    copies = [(key, other.T) for key, other in others.items() if key.startswith("onnx::") and other.ndim == 2 and key.count(".") == 0
              and other.T.shape == value.shape]
    if not copies:
        sys.exit(f"{name} is in none of the tensors of the other run")
    return min(copies, key=lambda copied: np.linalg.norm(copied[1] - value))


def compare(first, second, limit):
    first, second = read_checkpoint(first), read_checkpoint(second)
    worst, found = ("", 0.0), set()
    for name in plain_names():
        value = first[name].astype(np.float64)
        key, other = find(name, value, second)
        if key in found and key.startswith("onnx::"):
            sys.exit(f"{name} and another weight are one: {key}")
        found.add(key)
        difference = np.linalg.norm(other - value) / max(np.linalg.norm(value), 1e-3)
        worst = max(worst, (key, float(difference)), key=lambda pair: pair[1])
    print(f"{len(found)} variables, largest difference {worst[1]:.1e}, of {worst[0]}")
    sys.exit(0 if worst[1] <= limit else 1)


def plain_names():
    return [tensor.name for tensor in plain().graph.initializer]


def names(path, checkpoint):
    graph, saved = onnx.load(str(path)).graph, read_checkpoint(checkpoint)
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    equal = [name for name, value in values.items() if name in saved and saved[name].tobytes() == value.tobytes()]
    identities = [node for node in graph.node if node.op_type == "Identity" and node.input[0] in values]
    print(f"{len(values)} initializers, {len(equal)} of them as in the checkpoint, {len(identities)} Identities of them")


def zeros(path, plain_path, target, values):
    model = onnx.load(str(path))
    for tensor in model.graph.initializer:
        tensor.CopyFrom(numpy_helper.from_array(np.zeros_like(numpy_helper.to_array(tensor)), tensor.name))
    onnx.save(model, str(target))
    write_checkpoint(values, {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(str(plain_path)).graph.initializer})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["write", "compare", "names", "zeros"])
    parser.add_argument("paths", type=pathlib.Path, nargs="+")
    parser.add_argument("--limit", type=float)
    arguments = parser.parse_args()
    if arguments.what == "compare":
        compare(*arguments.paths, arguments.limit)
    else:
        {"write": write, "names": names, "zeros": zeros}[arguments.what](*arguments.paths)


if __name__ == "__main__":
    main()
