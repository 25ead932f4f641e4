"""`tutti.Dataset`: the arrays that dist-run reads, from numpy, PyTorch or pandas, and whether they fit a model."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys

import numpy as np

from . import onnx_model, recipes
from .errors import DatasetError
from .structure import Structure

FLOAT_LABELS = ("bce-with-logits", "mse", "l1", "huber", "kl-div", "hinge", "cosine")
NO_LABEL = ("output", "triplet-margin")


def _is_torch(value, kind):
    """Whether `value` is a Dataset, DataLoader or Tensor of PyTorch; PyTorch is not imported for that."""
    torch = sys.modules.get("torch")
    places = {"Tensor": "Tensor", "DataLoader": "utils.data.DataLoader", "Dataset": "utils.data.Dataset", "IterableDataset": "utils.data.IterableDataset"}
    for part in places[kind].split("."):
        torch = getattr(torch, part, None)
    return torch is not None and isinstance(value, torch)


def _as_array(name, value):
    if _is_torch(value, "Tensor"):
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()
        value = value.numpy()
    elif hasattr(value, "to_numpy"):
        value = value.to_numpy()
    array = np.asarray(value)
    if array.dtype.hasobject or array.dtype.names or array.dtype.kind not in "fiub":
        raise DatasetError(f"array '{name}' has type {array.dtype}; expected are numbers, one shape for all samples; encode texts as "
                           "integers")
    if array.ndim == 0:
        raise DatasetError(f"array '{name}' is one number; expected is one row a sample")
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))


def _is_leaf(value):
    return not isinstance(value, (dict, list, tuple)) or isinstance(value, list) and (not value or np.isscalar(value[0]))


def _rows(parts, names, join):
    """{name: array} of items or batches, each of which is an array, or a tuple, list or dictionary of them."""
    columns, keys = None, None
    for number, part in enumerate(parts):
        found = Structure(part, _is_leaf)
        keys = keys or list(names or (found.names if isinstance(part, dict) else []))
        if len(keys) != len(found.tensors):
            raise DatasetError(f"a sample has {len(found.tensors)} values, and there are {len(keys)} names; say them: names=[\"input\", "
                               "\"label\"]")
        columns = columns or [[] for _ in keys]
        for name, column, value in zip(keys, columns, found.tensors):
            value = np.asarray(value) if np.isscalar(value) else _as_array(name, value) if getattr(value, "ndim", 1) else np.asarray(value)
            if column and value.shape[join:] != column[0].shape[join:]:
                raise DatasetError(f"'{name}' has shape {list(column[0].shape)} in the first and {list(value.shape)} in part {number} of "
                                   "the data; dist-run reads arrays, so that all samples have one shape: pad or cut them")
            column.append(value)
    if not columns:
        raise DatasetError("the data have no samples")
    return {name: np.concatenate(column) if join else np.stack(column) for name, column in zip(keys, columns)}


def _collect(source, names):
    if isinstance(source, Dataset):
        return dict(source.arrays)
    if isinstance(source, dict):
        return source
    if isinstance(source, (str, os.PathLike)):
        with np.load(source, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):  # a frame of pandas
        return {str(name): source[name] for name in source.columns}
    if _is_torch(source, "DataLoader"):
        return _rows(source, names, 1)
    if _is_torch(source, "Dataset") and not _is_torch(source, "IterableDataset"):
        return _rows((source[index] for index in range(len(source))), names, 0)
    if hasattr(source, "__iter__") and not hasattr(source, "__array__"):
        return _rows(source, names, 0)
    if names and len(names) == 1:
        return {names[0]: source}
    raise DatasetError(f"a {type(source).__name__} is no data; expected are named arrays, a dictionary, a DataLoader or Dataset of "
                       "PyTorch, a frame of pandas, or the path of an .npz")


class Dataset:
    """Named arrays of one length: row i of each is sample i.

        Dataset(input=pixels, label=digits)
        Dataset(loader, names=["input", "label"])

    source  a dictionary; a PyTorch DataLoader, whose batches are joined (it is run once: what it draws at random stays as drawn), or
            Dataset; a frame of pandas, each column an array; an iterable of samples; or the path of an .npz.
    names   those of the values of a sample that is a tuple, in its order; of one that is a dictionary, instead of its keys.
    arrays  numpy arrays, tensors, or what numpy makes arrays of; beside `source`, or alone.

    DatasetError names an array of another length, of no type that is read, or a sample of another shape. `arrays` is {name: array}."""

    def __init__(self, source=None, names=None, **arrays):
        collected = {} if source is None else _collect(source, names)
        self.arrays = {str(name): _as_array(name, value) for name, value in {**collected, **arrays}.items()}
        if not self.arrays:
            raise DatasetError("no arrays; give them by name, e.g. Dataset(input=pixels, label=digits)")
        lengths = {name: len(array) for name, array in self.arrays.items()}
        if len(set(lengths.values())) > 1:
            raise DatasetError(f"arrays of different lengths: {', '.join(f'{name} has {length} rows' for name, length in lengths.items())}")
        if not len(self):
            raise DatasetError("the arrays have no rows")

    def __len__(self):
        return len(next(iter(self.arrays.values())))

    def __repr__(self):
        return f"Dataset of {len(self)} samples: " + ", ".join(f"{name} {array.dtype}{list(array.shape[1:])}" for name, array in self.arrays.items())

    def check(self, model, loss=None):
        """Looks whether the arrays fit the inputs of `model`, a path or what `export` returned, by the rules of dist-run (docs/data.md).

        loss: the recipe's, where it adds the input `label`; by default that of the model. DatasetError names input, array, what
        was found and what was expected. Returns itself."""
        graph = onnx_model.read(model, values=False)
        inputs = onnx_model.inputs(graph)
        for one in inputs:
            if one.name not in self.arrays:
                raise DatasetError(f"no array '{one.name}' for the model's input {one}; there are {', '.join(self.arrays)}. Give it this "
                                   f"name, or bind it: train(..., bind=[\"{one.name}=ARRAY\"])")
            _check_input(one, self.arrays[one.name])
        said = recipes.keys_of(onnx_model.metadata(graph).get(onnx_model.RECIPE))
        self._check_label(loss or said.get("loss") or "softmax-cross-entropy", {one.name for one in inputs})
        return self

    def _check_label(self, loss, inputs):
        if loss.split(":")[0] in NO_LABEL or "label" in inputs:
            return
        label = self.arrays.get("label")
        if label is None:
            raise DatasetError(f"no array 'label', which loss={loss} compares the output with; there are {', '.join(self.arrays)}")
        if loss not in FLOAT_LABELS and label.dtype.kind == "f" and not (label == np.floor(label)).all():
            raise DatasetError(f"array 'label' is {label.dtype} and has fractions; loss={loss} takes the numbers of classes, 0 to classes "
                               "- 1")

    def cast(self, model):
        """A Dataset whose arrays have the types of the model's inputs, rounded where these have fewer bits: the decision that `check`
        and dist-run do not take. Integers stay those; floats that are no integers do not become any."""
        types = {one.name: one.dtype for one in onnx_model.inputs(onnx_model.read(model, values=False))}
        arrays = {name: array.astype(types[name]) if name in types and (array.dtype.kind == "f") <= (types[name].kind == "f") else array
                  for name, array in self.arrays.items()}
        return Dataset(arrays)

    def save(self, path):
        """Writes an .npz that dist-run reads; returns its path. The file is there whole or not at all."""
        path = os.fspath(path)
        path = path if path.endswith(".npz") else f"{path}.npz"
        part = f"{path[:-4]}.part.npz"
        try:
            np.savez(part, **self.arrays)
            os.replace(part, path)
        finally:
            if os.path.exists(part):
                os.remove(part)
        return path


def _check_input(one, array):
    if array.ndim != len(one.shape):
        raise DatasetError(f"array '{one.name}' has rows of shape {list(array.shape[1:])}; the model's input is {one}, so a sample has "
                           f"{len(one.shape) - 1} dimensions")
    for place, (size, expected) in enumerate(zip(array.shape[1:], one.shape[1:])):
        if isinstance(expected, int) and size != expected:
            raise DatasetError(f"array '{one.name}' has rows of shape {list(array.shape[1:])}; the model's input {one} has {expected} in "
                               f"dimension {place + 1}, not {size}")
    if array.dtype == one.dtype:
        return
    with np.errstate(all="ignore"):
        cast = array.astype(one.dtype)
        same = (cast.astype(array.dtype) == array) | (array != array)
    if not same.all():
        sample = int(np.argwhere(~same)[0][0])
        raise DatasetError(f"array '{one.name}' is {array.dtype}, and {one.dtype}, the type of the model's input, does not hold the values "
                           f"of sample {sample}; if others will do: dataset.cast(model), or array.astype(numpy.{one.dtype})")
