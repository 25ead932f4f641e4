#!/usr/bin/python3
"""Counts the operators that the models of people and the exports beside them use, and writes or checks docs/models.md.

    census.py PAGE            writes the tables into the page
    census.py PAGE --check    ends with 1 if they are not those of the models
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import collections
import json
import pathlib
import sys

import onnx

HERE = pathlib.Path(__file__).resolve().parent
EXPORTS = HERE.parent / "exports"
# Whose results are no floats that depend on floats smoothly.
WITHOUT_SLOPE = {"And", "ArgMax", "ArgMin", "ConstantOfShape", "Equal", "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less", "LessOrEqual", "Not", "OneHot",
                 "Or", "SequenceLength", "Shape", "Size", "Xor"}
FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.DOUBLE, onnx.TensorProto.BFLOAT16)


# A model belongs to each family of which it has an operator; to the last one, if it has none of these.
FAMILIES = {
    "convolutions": {"Conv", "ConvTranspose", "ConvInteger"},
    "recurrent layers": {"LSTM", "GRU", "RNN", "Loop", "Scan"},
    "attention, and other softmax within the graph": {"Softmax", "com.microsoft.Attention", "com.microsoft.MultiHeadAttention", "Attention"},
    "tables that are looked up": {"Gather", "GatherElements", "GatherND"},
    "dense layers alone": set(),
}
LOSSES = {"output": "in the graph"}


class Model:
    """A file, the loss of its recipe, whether it is trained, and the nodes of its graph."""

    def __init__(self, path, exporter, is_trained, variables, loss):
        self.graph_of, self.exporter, self.is_trained, self.variables, self.loss = onnx.load(path), exporter, is_trained, variables, loss

    def families(self):
        """Of a model that is trained those through which gradients pass."""
        names = self.operators(self.passed() if self.is_trained else self.graph_of.graph.node)
        return [family for family, operators in FAMILIES.items() if operators & names] or [list(FAMILIES)[-1]]

    def nodes_within(self, node):
        """The node, or those of the function that it calls and of its branches."""
        body = [f.node for f in self.graph_of.functions if (f.domain, f.name) == (node.domain, node.op_type)]
        inside = body[0] if body else [inner for a in node.attribute if a.HasField("g") for inner in a.g.node]
        found = [] if body else [node]
        for inner in inside:
            found += self.nodes_within(inner)
        return found

    def passed(self):
        """The nodes through which the gradient of a variable passes."""
        moving, nodes = set(self.variables), []
        for node in self.graph_of.graph.node:
            to = next((a.i for a in node.attribute if a.name == "to"), FLOATS[0])
            if node.op_type not in WITHOUT_SLOPE and to in FLOATS and moving.intersection(node.input):
                nodes.append(node)
                moving.update(node.output[:1] if node.op_type in ("TopK", "Dropout", "MaxPool") else node.output)
        needed, through = {self.graph_of.graph.output[0].name}, []
        for node in reversed(nodes):
            if needed.intersection(node.output):
                needed.update(node.input)
                through.append(node)
        return through

    def operators(self, nodes):
        names = set()
        for node in nodes:
            for inner in self.nodes_within(node):
                names.add(inner.op_type if inner.domain in ("", "ai.onnx") else f"{inner.domain}.{inner.op_type}")
        return names


def loss_of(entry):
    """Of its recipe; that of test/equivalence/train_export.py, where it has none of its own."""
    loss = dict(key.split("=", 1) for key in entry.get("train", "").split()).get("loss", "softmax-cross-entropy").partition(":")[0]
    return LOSSES.get(loss, f"`{loss}`")


def models():
    for name, entry in json.loads((HERE / "expected.json").read_text()).items():
        trained = not entry.keys() & {"refused", "pending"}
        yield Model(HERE / f"{name}.onnx", entry["exporter"], trained, entry.get("variables", ()), loss_of(entry))
    for name, entry in json.loads((EXPORTS / "expected.json").read_text()).items():
        for path in sorted(EXPORTS.glob(f"{name}.*onnx")):
            model = onnx.load(path)
            floats = [tensor.name for tensor in model.graph.initializer if tensor.data_type in FLOATS and tensor.dims]
            yield Model(path, "PyTorch 1.13", True, floats, loss_of(entry))


def table(heads, rows):
    return ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads), *("| " + " | ".join(map(str, row)) + " |" for row in rows)]


def census():
    used, passed, exporters = collections.Counter(), collections.Counter(), collections.defaultdict(lambda: [0, 0])
    families = collections.defaultdict(lambda: [0, 0])
    for model in models():
        for family in model.families():
            families[family, model.loss][not model.is_trained] += 1
        exporters[model.exporter][not model.is_trained] += 1
        used.update(model.operators(model.graph_of.graph.node))
        if model.is_trained:
            passed.update(model.operators(model.passed()) - WITHOUT_SLOPE)
    total = [sum(column) for column in zip(*exporters.values())]
    rows = [(name, *numbers) for name, numbers in sorted(exporters.items())] + [("all", *total)]
    operators = [(f"`{name}`", count, passed[name] or "") for name, count in sorted(used.items())]
    order = list(FAMILIES)
    by_family = [(family, loss, *families[family, loss]) for family, loss in sorted(families, key=lambda both: (order.index(both[0]), both[1]))]
    return {"families": table(("the model has", "loss", "as on one device, on one rank and several", "refused"), by_family),
            "exporters": table(("written by, or in the form of", "exact", "refused"), rows),
            "operators": table(("operator", "models that use it", "models in which a gradient passes through it"), operators)}


def main():
    page = pathlib.Path(sys.argv[1])
    text = page.read_text()
    made = text
    for name, lines in census().items():
        begin, end = f"<!-- census: {name} -->\n", "<!-- end -->"
        head, _, rest = made.partition(begin)
        made = head + begin + "\n".join(lines) + "\n" + rest[rest.index(end):]
    if "--check" not in sys.argv:
        page.write_text(made)
    elif made != text:
        sys.exit(f"{page} does not have the tables of the models; `{sys.argv[0]} {page}` writes them")


main()
