"""Images of other sizes, each in a model of f64 that one rank and several train as numpy does:

    resized_images.py DIST_RUN FOLDER [NAME...]            ends with 1 unless they do

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

from numpy_models import case, floats, main

# Images that are made smaller by a filter that is as much wider.


def filtered(size, result, scale, reach, weight, excludes=False):
    """The matrix of one dimension: what lies outside counts as the edge, or not at all, and weights add up to 1."""
    matrix = np.zeros((result, size))
    for i in range(result):
        origin = (i + 0.5) / scale - 0.5
        pixels = np.arange(np.ceil(origin - reach / scale), np.floor(origin + reach / scale) + 1)
        pixels = pixels[(pixels >= 0) & (pixels < size)] if excludes else pixels
        weights = np.array([weight(abs(pixel - origin) * scale) for pixel in pixels])
        np.add.at(matrix[i], np.clip(pixels, 0, size - 1).astype(int), weights / weights.sum())
    return matrix


def keys(t, a=-0.75):
    near, far = ((a + 2) * t - (a + 3)) * t * t + 1, ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return near if t <= 1 else far if t < 2 else 0


@case({"x": floats(24, 2, 7, 6)}, {"w": floats(7, 6)}, opset=18)
def smaller_images(g):
    h = g("Mul", "x", "w")
    g("Resize", h, "", "", np.array([3, 4]), mode="linear", antialias=1, exclude_outside=1, axes=[2, 3], out="y")  # as PyTorch exports it
    rows, columns = (filtered(size, result, result / size, 1, lambda t: max(0, 1 - t), excludes=True) for size, result in ((7, 3), (6, 4)))
    return lambda x, w: rows @ (x * w) @ columns.T


@case({"x": floats(24, 2, 8, 6)}, {"w": floats(8, 6)}, opset=18)
def images_that_keep_their_form(g):
    h = g("Mul", "x", "w")
    a = g("Resize", h, "", "", np.array([4, 5]), mode="cubic", antialias=1, axes=[2, 3], keep_aspect_ratio_policy="not_larger")
    b = g("Resize", h, "", "", np.array([3, 3]), mode="cubic", antialias=1, axes=[-2, -1], keep_aspect_ratio_policy="not_smaller")
    g("Add", a, b, out="y")  # both are by 1/2
    rows, columns = (filtered(size, result, 0.5, 2, keys) for size, result in ((8, 4), (6, 3)))
    return lambda x, w: 2 * (rows @ (x * w) @ columns.T)


@case({"x": floats(24, 2, 5, 6)}, {"w": floats(5, 6)}, opset=19)
def images_about_their_middle(g):
    h = g("Mul", "x", "w")
    g("Resize", h, "", np.array([0.7], np.float32), mode="linear", coordinate_transformation_mode="half_pixel_symmetric", axes=[2], out="y")
    places = 2.5 * (1 - 3 / np.float32(3.5)) + (np.arange(3) + 0.5) / np.float32(0.7) - 0.5  # 3 rows of 3.5
    rows = np.maximum(0, 1 - np.abs(places[:, None] - np.arange(5)))
    return lambda x, w: rows @ (x * w)


if __name__ == "__main__":
    main()
