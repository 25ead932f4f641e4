"""Layers of which some were set to eval(), in a model of f64 that one rank and several train as numpy does:

    layer_modes.py DIST_RUN FOLDER            ends with 1 unless they do

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

from numpy_models import case, floats, main


@case({"x": floats(24, 4)}, {"w": floats(4, 3), "s": floats(3), "t": floats(3)})
def a_normalization_that_stays(g):
    """One works by the batch, and one, which was set to eval(), by its statistics."""
    zeros, fives = np.zeros(3), np.full(3, 5.0)
    h, _, _ = g("BatchNormalization", g("MatMul", "x", "w"), "s", "s", zeros, fives, out=3, training_mode=1)
    g("Tanh", g("BatchNormalization", h, "t", "t", fives, fives), out="y")

    def compute(x, w, s, t):
        h = x @ w
        h = s * (h - h.mean(0)) / np.sqrt(h.var(0) + 1e-5) + s
        return np.tanh(t * (h - 5) / np.sqrt(5 + 1e-5) + t)

    return compute


if __name__ == "__main__":
    main()
