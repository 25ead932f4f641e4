"""What a refusal tells to do, done: every key that it prints is given as it is printed, and trains the model that it stands for.

    remedies.py DIST_RUN FOLDER            ends with 1 if a key is not printed, is refused too, or trains other numbers

A model is refused because nothing says whether some of its initializers are buffers, or whether a row of zeros is that of a padding. Each answer is
a function of numpy, central differences of which are the gradients.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys

import numpy as np
import onnx

import numpy_models
from numpy_models import Graph, floats

WORDS, LENGTH, WIDTH = 7, 4, 6


def positions():
    """Sines and cosines, as a transformer adds them to what it has looked up."""
    angles = np.arange(LENGTH)[:, None] * 100.0 ** (-np.arange(0, WIDTH, 2) / WIDTH)
    return np.stack([np.sin(angles), np.cos(angles)], 2).reshape(LENGTH, WIDTH)


def buffers(g):
    x = g("Add", g("Mul", g("Gather", "emb.weight", "t"), "scale"), "pe")
    g("Tanh", g("MatMul", x, "fc.weight"), out="y")


def of_buffers(t, **given):
    return np.tanh((given["emb.weight"][t] * given["scale"] + given["pe"]) @ given["fc.weight"])


def padding(g):
    g("Tanh", g("MatMul", g("Gather", "emb.weight", "t"), "fc.weight"), out="y")


def of_padding(t, **given):
    return np.tanh(given["emb.weight"][t] @ given["fc.weight"])


def without_first_row(t, **given):
    table = given["emb.weight"] * (np.arange(WORDS) > 0)[:, None]
    return of_padding(t, **{**given, "emb.weight": table})


TABLE = floats(WORDS, WIDTH)
TOKENS = {"t": np.random.default_rng(1).integers(0, WORDS, (24, LENGTH))}
LAYERS = {"emb.weight": TABLE, "fc.weight": floats(WIDTH, 3)}
BUFFERS = {"scale": np.full(WIDTH, 4.0), "pe": positions()}
PADDED = {**LAYERS, "emb.weight": np.where(np.arange(WORDS)[:, None] > 0, TABLE, 0.0)}
# The nodes, the variables, and for each key that must be printed what it means and what it keeps.
CASES = {
    "buffers": (buffers, {**LAYERS, **BUFFERS}, {"freeze=": (of_buffers, BUFFERS), "trainable=": (of_buffers, {})}),
    "padding": (padding, PADDED, {"padding=": (without_first_row, {}), "trainable=": (of_padding, {})}),
}


def said(found):
    return found if isinstance(found, str) else "it trains"


def follow(dist_run, folder, key, variables, meaning):
    compute, kept = meaning
    trained = {name: data for name, data in variables.items() if name not in kept}
    expected = numpy_models.descend(lambda **given: compute(**given, **kept), TOKENS, trained)
    for ranks in (1, 2, 4):
        found = numpy_models.train(dist_run, folder, ranks, key)
        problem = numpy_models.difference(found, expected, trained)
        if not problem:
            problem = ", ".join(f"{name} is not kept" for name, data in kept.items() if not np.array_equal(found[name], data))
        yield f"{key or 'what the model says'} on {ranks}: {problem or 'equal'}"


def edit(path, **metadata):
    """Of other frameworks than PyTorch nothing is asked: their files say what is no parameter."""
    model = onnx.load(path)
    model.producer_name = "pytorch"
    for key, value in metadata.items():
        model.metadata_props.add(key=f"tutti.{key}", value=value)
    onnx.save(model, path)


def main():
    dist_run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "data.npz", **TOKENS)
    lines = []
    for name, (build, variables, meanings) in CASES.items():
        graph = Graph(17)
        build(graph)
        numpy_models.write(folder / "model.onnx", graph, TOKENS, variables)
        edit(folder / "model.onnx")
        refusal = said(numpy_models.train(dist_run, folder, 2))
        printed = re.findall(r"\b(?:freeze|trainable|padding)=[^\s;]+", refusal)
        if sorted(key.partition("=")[0] + "=" for key in printed) != sorted(meanings):
            lines.append(f"{name}: other keys are printed: {refusal}")
        for key in printed:
            lines += [f"{name}: {line}" for line in follow(dist_run, folder, key, variables, meanings[key.partition('=')[0] + "="])]
        if name == "buffers":
            edit(folder / "model.onnx", buffers=",".join(BUFFERS))
            lines += [f"{name}: {line}" for line in follow(dist_run, folder, "", variables, meanings["freeze="])]
    print("\n".join(lines))
    sys.exit(any(not line.endswith("equal") for line in lines))


if __name__ == "__main__":
    main()
