"""`tutti.serve`: a Python program hands out the samples of `dist-run --dataset "exec:python3 PROGRAM"`. docs/data.md says what the
two say to each other."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import mmap
import os
import random
import sys
import traceback
import zlib

import numpy as np

from .dataset import _as_array, _is_leaf, _is_torch
from .errors import DatasetError
from .structure import Structure

TYPES = {"float16": "f16", "float32": "f32", "float64": "f64", "int8": "i8", "uint8": "u8", "int16": "i16", "int32": "i32", "int64": "i64",
         "bool": "bool"}


def _seed(*words):
    """What draws at random draws the same for a sample however often, and on whichever rank, it is made."""
    seed = int(np.random.SeedSequence([word & 0xffffffff for word in words]).generate_state(1)[0])
    random.seed(seed)
    np.random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


class _ByNumber:
    """Samples that can be had in any order."""

    sequential = False

    def __init__(self, source):
        self.source, self.epoch, self.count = source, None, len(source)
        self.fingerprint = _checksum(source.arrays) if isinstance(source, _Rows) else ""

    def get(self, epoch, numbers):
        if epoch != self.epoch and hasattr(self.source, "set_epoch"):
            self.source.set_epoch(epoch)
        self.epoch = epoch
        for number in numbers:
            _seed(epoch, number)
            yield self.source[number]


class _Rows:
    """Of named arrays."""

    def __init__(self, arrays):
        self.arrays = arrays
        lengths = {len(array) for array in arrays.values()}
        if len(lengths) != 1:
            raise DatasetError(f"arrays of different lengths: {', '.join(f'{name} has {len(array)}' for name, array in arrays.items())}")

    def __len__(self):
        return len(next(iter(self.arrays.values())))

    def __getitem__(self, number):
        return {name: array[number] for name, array in self.arrays.items()}


class _InOrder:
    """Samples of an iterable: what comes before the wanted one is made and dropped, and one that has gone by begins the epoch anew."""

    sequential, fingerprint = True, ""

    def __init__(self, make, count):
        self.make, self.count, self.epoch, self.position, self.kept = make, count, None, 0, {}

    def _begin(self, epoch):
        _seed(epoch)
        self.iterator, self.epoch, self.position, self.kept = iter(self.make(epoch)), epoch, 0, {}

    def _advance(self, number):
        if number < self.position:
            self._begin(self.epoch)
        while self.position <= number:
            try:
                sample = next(self.iterator)
            except StopIteration:
                raise DatasetError(f"epoch {self.epoch} ended after {self.position} samples; expected are {self.count}") from None
            self.position += 1
        return sample

    def get(self, epoch, numbers):
        if epoch != self.epoch:
            self._begin(epoch)
        found = {}
        for number in sorted(set(numbers)):
            found[number] = self.kept[number] if number in self.kept else self._advance(number)
        self.kept = found
        return (found[number] for number in numbers)


def _checksum(arrays):
    """Of rows at equal distances, up to 16 MiB of each array."""
    checksum = 0
    for name, array in sorted(arrays.items()):
        array = np.asarray(array)
        most = max(64, (16 << 20) // max(1, array[:1].nbytes))
        rows = np.unique(np.linspace(0, len(array) - 1, min(len(array), most)).astype("i8"))
        checksum = zlib.crc32(np.ascontiguousarray(array[rows]).tobytes(), zlib.crc32(name.encode(), checksum))
    return f"{checksum:08x}"


def _split(loader):
    """The samples of batches, each of which is an array, or a tuple or dictionary of them."""
    for batch in loader:
        if isinstance(batch, dict):
            batch = {name: _as_array(name, value) for name, value in batch.items()}
            yield from ({name: value[i] for name, value in batch.items()} for i in range(len(next(iter(batch.values())))))
        else:
            values = [_as_array(str(place), value) for place, value in enumerate(batch if isinstance(batch, (tuple, list)) else [batch])]
            yield from zip(*values)


def _iterable(source, samples):
    if samples is None and _is_torch(source, "DataLoader") and hasattr(source.dataset, "__len__"):
        samples = len(source.dataset)
    elif samples is None and hasattr(source, "__len__"):
        samples = len(source)
    if samples is None:
        raise DatasetError("nobody knows how many samples an epoch has; say it: serve(source, samples=N), also of a stream without an end")
    if not callable(source) and iter(source) is source:
        raise DatasetError(f"a {type(source).__name__} can be read once, but a run may go on from the middle of an epoch and has several; "
                           "give a function that makes it: serve(lambda epoch: ..., samples=N)")

    def make(epoch):
        if callable(source) and not hasattr(source, "__iter__"):
            return source(epoch)
        for part in (source, getattr(source, "sampler", None), getattr(source, "dataset", None)):
            if hasattr(part, "set_epoch"):
                part.set_epoch(epoch)
        return _split(source) if _is_torch(source, "DataLoader") else source
    return _InOrder(make, samples)


def _open(source, samples):
    if isinstance(source, dict):
        return _ByNumber(_Rows(source))
    if hasattr(source, "arrays") and isinstance(source.arrays, dict):  # a tutti.Dataset
        return _ByNumber(_Rows(source.arrays))
    if hasattr(source, "__getitem__") and hasattr(source, "__len__") and not _is_torch(source, "IterableDataset"):
        return _ByNumber(source)
    return _iterable(source, samples)


def _values(sample, names):
    """{name: array} of a sample."""
    found = Structure(sample, _is_leaf)
    keys = list(names or (found.names if isinstance(sample, dict) else []))
    if len(keys) != len(found.tensors):
        raise DatasetError(f"a sample has {len(found.tensors)} values, and there are {len(keys)} names; say them: names=[\"input\", \"label\"]")
    values = {}
    for key, value in zip(keys, found.tensors):
        if _is_torch(value, "Tensor"):
            value = value.detach().cpu().numpy()
        values[key] = np.asarray(value)
        if str(values[key].dtype) not in TYPES:
            raise DatasetError(f"'{key}' has type {values[key].dtype}; expected are numbers: {', '.join(TYPES)}")
    return values


class _Channel:
    """Lines of JSON to and from dist-run, and the memory for batches."""

    def __init__(self):
        memory = os.environ.get("TUTTI_DATA_MEMORY")
        if memory is None:
            raise DatasetError("this program hands samples to dist-run, which starts it: dist-run ... --dataset \"exec:python3 PROGRAM\"")
        self.memory, self.map = int(memory), None
        self.lines = os.fdopen(os.dup(0), "r", encoding="utf-8")
        self.answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)  # what the program prints is for people

    def say(self, line):
        self.answers.write(json.dumps(line) + "\n")
        self.answers.flush()

    def buffer(self, size):
        if self.map is None or len(self.map) < size:
            self.map = mmap.mmap(self.memory, size)
        return self.map


def _write(channel, request, first, samples, names):
    buffer = channel.buffer(request["bytes"]) if request["bytes"] else b""
    for place, (number, sample) in enumerate(zip(request["samples"], samples)):
        values = _values(sample, names)
        for (name, like), offset in zip(first.items(), request["offsets"]):
            value = values.get(name)
            if value is None or value.shape != like.shape or value.dtype != like.dtype:
                found = "is not there" if value is None else f"is {value.dtype} {list(value.shape)}"
                raise DatasetError(f"sample {number} of epoch {request['epoch']}: '{name}' {found}; in the first sample it is {like.dtype} "
                                   f"{list(like.shape)}, and all have one shape and type: pad or cut them")
            if value.nbytes:
                begin = offset + place * value.nbytes
                buffer[begin:begin + value.nbytes] = np.ascontiguousarray(value).tobytes()


def serve(source, names=None, samples=None, deadline=60, fingerprint=None):
    """Hands out samples until dist-run has enough. Returns then; what comes before is done by each rank's process.

    source    what has __len__ and __getitem__: a list, a Dataset of PyTorch, a dictionary of arrays; any sample of it can be asked for,
              so that dist-run shuffles. Or, in its own order, an iterable that can be read again, a DataLoader of PyTorch, or a function
              that makes an iterable from the number of an epoch. Where it has `set_epoch`, that is called.
    names     those of the values of a sample that is a tuple; one that is a dictionary has them.
    samples   of an epoch, where `source` has no length.
    deadline  seconds within which a batch is there.
    fingerprint
              text that other data have not, such as a version or the time of the newest file. A run that goes on compares it. By
              default a checksum of arrays, and of other sources none.

    Sample i of an epoch must be the same whenever it is made: `random`, numpy and PyTorch are seeded by its number and its epoch before,
    or by the epoch where there is an order. DatasetError names what does not fit; dist-run shows it and stops."""
    channel = _Channel()
    try:
        opened = _open(source, samples)
        first = _values(next(iter(opened.get(0, [0]))), names)
        columns = [{"name": name, "type": TYPES[str(value.dtype)], "shape": list(value.shape)} for name, value in first.items()]
        channel.say({"tutti-data": 1, "samples": opened.count, "sequential": opened.sequential, "deadline": deadline, "columns": columns,
                     "fingerprint": str(fingerprint) if fingerprint is not None else opened.fingerprint})
        for line in channel.lines:
            request = json.loads(line)
            _write(channel, request, first, opened.get(request["epoch"], request["samples"]), names)
            channel.say({"done": len(request["samples"])})
    except BrokenPipeError:
        pass
    except Exception as error:  # whatever the source raises: dist-run tells it
        if not isinstance(error, DatasetError):
            traceback.print_exc()
        channel.say({"error": f"{type(error).__name__}: {error}" if not isinstance(error, DatasetError) else str(error)})
        sys.exit(1)
