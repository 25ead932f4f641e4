"""spoil_clicks.py FOLDER: copies of its train.npz and test.npz, each with one thing changed.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

import numpy as np


def changed(array, place, value):
    copy = array.copy()
    copy[place] = value
    return copy


def main():
    folder = pathlib.Path(sys.argv[1])
    train, test = dict(np.load(folder / "train.npz")), dict(np.load(folder / "test.npz"))

    def write(name, base, **arrays):
        np.savez(folder / name, **{**base, **arrays})

    write("user-above", train, user=changed(train["user"], 3, 1000))
    write("tag-above", train, tags=changed(train["tags"], (7, 2), 50))
    write("fewer-tags", train, tags=train["tags"][:, :2])
    write("two", train, label=changed(train["label"], 0, 2))
    write("signs", train, label=2 * train["label"] - 1)
    write("flat", train, label=train["label"][:, 0])
    write("unclicked", test, label=np.zeros_like(test["label"]))
    write("shares", test, label=test["probability"][:, None].astype(np.float32))


if __name__ == "__main__":
    main()
