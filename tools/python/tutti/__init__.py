"""Trains a PyTorch model on many ranks in three calls, and reads the result back:

    tutti.export(model, example, "m.onnx", loss=loss, labels=labels)
    result = tutti.train("m.onnx", tutti.Dataset(x=x, label=y), ranks=4, optimizer="adam", global_batch=64, epochs=3)
    tutti.load_into(model, result)

docs/python.md says more. numpy is needed; `export` and `load_into` need PyTorch, and what reads ONNX the package onnx; nothing is
imported before it is used."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib

from .errors import DatasetError, Error, ExportError, FileError, LoadError, RunError, Stopped, ToolError
from .version import __version__

_PLACES = {"export": "exporter", "Exported": "exporter", "load_into": "loader", "Loaded": "loader", "train": "runner", "Result": "runner",
           "Dataset": "dataset", "serve": "serving", "find_learning_rate": "rates", "Rates": "rates"}

__all__ = ["DatasetError", "Error", "ExportError", "FileError", "LoadError", "RunError", "Stopped", "ToolError", "__version__", *_PLACES]


def __getattr__(name):
    if name not in _PLACES:
        raise AttributeError(f"module 'tutti' has no attribute '{name}'")
    return getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)


def __dir__():
    return sorted(__all__)
