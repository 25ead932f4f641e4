"""Samples for the models of people, from a seed: the same with and without PyTorch.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import zlib

import numpy as np

BATCH, STEPS = 8, 2

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i64": np.int64, "i32": np.int32, "u8": np.uint8, "bool": np.bool_}


def make(inputs, batch=BATCH):
    """Arrays by name for all steps. `inputs` has for each name how a sample is made: [TYPE, KIND, SIZE, ...], where KIND is
    `normal`, `unit` (from 0 to 1) or a number of values, from 0."""
    return {name: _array(name, *how, batch=batch) for name, how in inputs.items()}


def _array(name, element, kind, *shape, batch):
    random = np.random.RandomState(zlib.crc32(name.encode()) % 65521)
    shape = (batch * STEPS, *shape)
    if kind == "normal":
        values = random.standard_normal(shape)
    elif kind == "unit":
        values = random.uniform(size=shape)
    else:
        values = random.randint(0, kind, shape)
    return values.astype(TYPES[element])


def fingerprint(initial, final):
    """Of a variable: the norm of its initial value, that of its change, and how far it went along a direction that its size gives."""
    change = (np.asarray(final, np.float64) - np.asarray(initial, np.float64)).ravel()
    direction = np.cos(1.7 * np.arange(change.size) + 0.3)
    return [float(np.linalg.norm(np.asarray(initial, np.float64))), float(np.linalg.norm(change)), float(change @ direction)]


def differs(found, expected, rounding=1):
    """Whether two fingerprints differ by more than rounding in f32 explains, or so many times it."""
    norm, moved, along = expected
    limit = rounding * (1e-4 * moved + 3e-7 * (norm + 0.1))
    return not (abs(found[1] - moved) <= limit and abs(found[2] - along) <= limit)
