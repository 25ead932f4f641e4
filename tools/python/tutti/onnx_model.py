"""Models in ONNX: what their inputs are, which values they hold, and the few edits that an export needs."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib.util
import os
import tempfile

from .errors import Error, FileError

PARAMETERS, BUFFERS = "tutti.parameters", "tutti.buffers"  # read by dist-opt and dist-run, too (docs/frontend.md)
TIES, ABSENT, RECIPE = "tutti.ties", "tutti.absent", "tutti.recipe"  # read by this package alone
LARGEST_FILE = (1 << 31) - (1 << 20)  # of a protocol buffer, with room for the graph


def package():
    """The module onnx; Error where it is not installed."""
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise Error("this needs the package onnx: apt install python3-onnx, or pip install onnx") from error
    return onnx


def is_there():
    """Whether the package onnx is installed."""
    return importlib.util.find_spec("onnx") is not None


def read(path, values=True):
    """The ModelProto in `path`; without `values` external data is left where it is. FileError says why it cannot be read."""
    onnx = package()
    from google.protobuf.message import DecodeError
    try:
        model = onnx.load(os.fspath(path), load_external_data=values)
    except DecodeError as error:
        raise FileError(f"{os.fspath(path)}: no ONNX model: {error}") from error
    if not model.graph.node and not model.graph.initializer:
        raise FileError(f"{os.fspath(path)}: no ONNX model: its graph is empty")
    return model


def write(model, path, largest=LARGEST_FILE):
    """Writes the model; weights that make it larger than `largest` bytes lie beside it in `path`.data, which is there before the model is."""
    onnx, path = package(), os.path.abspath(os.fspath(path))
    name = os.path.basename(path)
    with tempfile.TemporaryDirectory(prefix=".tutti-", dir=os.path.dirname(path)) as folder:
        part = os.path.join(folder, name)
        if model.ByteSize() > largest:
            onnx.save(model, part, save_as_external_data=True, all_tensors_to_one_file=True, location=f"{name}.data", size_threshold=1024)
            os.replace(f"{part}.data", f"{path}.data")
        else:
            onnx.save(model, part)
        os.replace(part, path)


class Input:
    """An input of a graph: its name, numpy type, and sizes: a number, or the name of one that varies ("?" where it has none)."""

    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.shape = name, dtype, shape

    def __repr__(self):
        return f"{self.name} {self.dtype}[{', '.join(map(str, self.shape))}]"


def _numpy_type(code):
    onnx = package()
    if hasattr(onnx.helper, "tensor_dtype_to_np_dtype"):  # since 1.13
        return onnx.helper.tensor_dtype_to_np_dtype(code)
    import onnx.mapping
    return onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[code]


def inputs(model):
    """[Input] of the graph, without those that initializers give values to."""
    given = {tensor.name for tensor in model.graph.initializer}
    found = []
    for value in model.graph.input:
        if value.name not in given:
            kind = value.type.tensor_type
            shape = [size.dim_value if size.HasField("dim_value") else size.dim_param or "?" for size in kind.shape.dim]
            found.append(Input(value.name, _numpy_type(kind.elem_type), shape))
    return found


def arrays(model):
    """{name: array} of the initializers."""
    onnx = package()
    return {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}


def metadata(model):
    return {entry.key: entry.value for entry in model.metadata_props}


def names_of(text):
    """The names of an entry of the metadata, which commas or lines divide."""
    return [name.strip() for name in text.replace("\n", ",").split(",") if name.strip()]


def set_metadata(model, entries):
    """Sets {key: text}; entries without text are left out."""
    kept = {**metadata(model), **entries}
    del model.metadata_props[:]
    for key, text in kept.items():
        if text:
            model.metadata_props.add(key=key, value=text)


def _graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for nested in [attribute.g, *attribute.graphs]:
                if nested.node or nested.output:
                    yield from _graphs(nested)


def _names(graph):
    for tensor in [*graph.initializer, *graph.input, *graph.output, *graph.value_info]:
        yield tensor.name
    for node in graph.node:
        yield node.name
        yield from node.input
        yield from node.output


def rename(model, change):
    """Gives values and nodes the names that change(name) says, but for those that another has already."""
    graphs = list(_graphs(model.graph))
    taken = {name for graph in graphs for name in _names(graph)}
    new = {}
    for name in sorted(taken):
        changed = change(name)
        if changed != name and changed not in taken:
            new[name] = changed
            taken.add(changed)
    for graph in graphs:
        for tensor in [*graph.initializer, *graph.input, *graph.output, *graph.value_info]:
            tensor.name = new.get(tensor.name, tensor.name)
        for node in graph.node:
            node.name = new.get(node.name, node.name)
            node.input[:] = [new.get(name, name) for name in node.input]
            node.output[:] = [new.get(name, name) for name in node.output]


def separate(model, names):
    """Gives each Identity of an initializer whose result is called as one of `names` an initializer of its own: the exporter has made
    one of equal ones."""
    graph, kept = model.graph, {tensor.name: tensor for tensor in model.graph.initializer}
    merged = [node for node in graph.node if node.op_type == "Identity" and node.input[0] in kept and node.output[0] in names]
    for node in merged:
        own = graph.initializer.add()
        own.CopyFrom(kept[node.input[0]])
        own.name = node.output[0]
        graph.node.remove(node)


def tie(model, name, others):
    """Has every use of `others` use the initializer `name`, whose value they share."""
    for graph in _graphs(model.graph):
        for node in graph.node:
            node.input[:] = [name if value in others else value for value in node.input]
    for tensor in [tensor for tensor in model.graph.initializer if tensor.name in others]:
        if any(kept.name == name for kept in model.graph.initializer):
            model.graph.initializer.remove(tensor)
        else:
            tensor.name = name


def _frozen_normalization(node, rank):
    """The nodes of x * alpha + beta, as PyTorch computes a normalization by given statistics."""
    make = package().helper.make_node
    x, weight, bias, mean, variance = node.input
    name = node.name or node.output[0]
    epsilon = next((attribute.f for attribute in node.attribute if attribute.name == "epsilon"), 1e-5)
    made = []

    def add(op, role, inputs, **attributes):
        made.append(make(op, inputs, [f"{name}_{role}"], name=f"{name}_{role}", **attributes))
        return made[-1].output[0]

    shape = add("Constant", "shape", [], value_ints=[-1] + [1] * (rank - 2))
    root = add("Sqrt", "deviation", [add("Add", "variance", [variance, add("Constant", "epsilon", [], value_float=epsilon)])])
    alpha = add("Div", "alpha", [weight, root])
    beta = add("Sub", "beta", [bias, add("Mul", "mean", [mean, alpha])])
    scaled = add("Mul", "scaled", [x, add("Reshape", "scale", [alpha, shape])])
    made.append(make("Add", [scaled, add("Reshape", "shift", [beta, shape])], [node.output[0]], name=name))
    return made


def freeze_normalizations(model, ranks):
    """Makes arithmetic of each BatchNormalization by given statistics, for a recipe trains every BatchNormalization.

    ranks: {name of a running mean: rank of what the layer normalizes}. Returns the names of statistics whose rank is not known."""
    nodes, unknown = [], []
    for node in model.graph.node:
        training = any(attribute.name == "training_mode" and attribute.i for attribute in node.attribute)
        if node.op_type == "BatchNormalization" and not training and node.input[3] in ranks:
            nodes += _frozen_normalization(node, ranks[node.input[3]])
        else:
            unknown += [node.input[3]] if node.op_type == "BatchNormalization" and not training else []
            nodes.append(node)
    kept = [type(node).FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return unknown


def first_difference(model, other):
    """The first node in which two graphs differ, None if they have equal nodes. Names of values count by what they stand for."""
    first, second = {}, {}
    for node, twin in zip(model.graph.node, other.graph.node):
        equal = node.op_type == twin.op_type and len(node.input) == len(twin.input) and len(node.output) == len(twin.output)
        equal = equal and [first.get(name, name) for name in node.input] == [second.get(name, name) for name in twin.input]
        parts = [sorted(attribute.SerializeToString(deterministic=True) for attribute in one.attribute) for one in (node, twin)]
        if not equal or parts[0] != parts[1]:
            return node
        for place, (name, twin_name) in enumerate(zip(node.output, twin.output)):
            first[name] = second[twin_name] = (len(first), place)
    longer = max(model.graph.node, other.graph.node, key=len)
    return None if len(model.graph.node) == len(other.graph.node) else longer[min(len(model.graph.node), len(other.graph.node))]


def users_of(model, node):
    """The nodes that a constant goes to, through others that only change its form."""
    found, values = [], set(node.output)
    for other in model.graph.node:
        if values & set(other.input):
            if other.op_type in ("Cast", "Unsqueeze", "Concat", "Identity", "Reshape", "Constant"):
                values.update(other.output)
            found.append(other)
    return found


def set_values(model, values):
    """Has the initializers hold {name: array} where they hold something else; returns the names of those that did."""
    numpy_helper, changed = package().numpy_helper, []
    for tensor in model.graph.initializer:
        if tensor.name in values:
            found, value = numpy_helper.to_array(tensor), values[tensor.name]
            if found.dtype != value.dtype or found.shape != value.shape:
                raise Error(f"initializer '{tensor.name}' is {found.dtype}{list(found.shape)}, not {value.dtype}{list(value.shape)}")
            if found.tobytes() != value.tobytes():
                tensor.CopyFrom(numpy_helper.from_array(value, tensor.name))
                changed.append(tensor.name)
    return changed
