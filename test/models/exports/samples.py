"""Samples for the exported models, from a seed: the same with and without PyTorch.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

CLASSES, BATCH, STEPS = 10, 8, 4

# The shape of a sample, and how many values an integer has; None for normally distributed floats.
KINDS = {"vector": ((16,), None), "image": ((3, 16, 16), None), "sequence": ((6, 16), None), "tokens": ((6,), 20)}


def make(kind):
    """A batch for each step: the input `x`, and a class as `label`."""
    random = np.random.RandomState(20240611)
    shape, values = KINDS[kind]
    size = (BATCH * STEPS, *shape)
    x = random.standard_normal(size).astype(np.float32) if values is None else random.randint(0, values, size).astype(np.int64)
    return {"x": x, "label": random.randint(0, CLASSES, BATCH * STEPS).astype(np.int64)}
