#!/usr/bin/python3
"""Writes the ONNX file of one model family in one size.

    make_families.py FAMILY SIZE FILE.onnx [--batch N] [--opset N] [--no-loss] [--weights inside|beside|none] [FLAG=VALUE ...]

FAMILY: resnet, bert, gpt2, dlrm, llama. SIZE: tiny, small, full; llama also 7b and 8b. Flags of bert: head=mlm|classification,
gelu=erf|operator, dropout=RATIO; of gpt2: mask=where|trilu|constant, gelu=tanh|operator, dropout=RATIO; of llama qkv=apart|fused. Without --batch
the batch is the symbol `batch`. --data FILE.npz writes samples to train with (see synthetic_data.py).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import sys

import bert
import dlrm
import gpt2
import llama
import resnet
import synthetic_data
from graph_writer import GraphWriter, write_model

FAMILIES = {"resnet": resnet, "bert": bert, "gpt2": gpt2, "dlrm": dlrm, "llama": llama}
INSIDE_LIMIT = 2**31 - 2**20  # of one protobuf, less room for the graph


def parse_flags(family, words):
    """The family's flags with their defaults: the first of the allowed words, or 0 for a ratio."""
    known = FAMILIES[family].FLAGS
    flags = {key: 0.0 if allowed is float else allowed[0] for key, allowed in known.items()}
    for word in words:
        key, _, value = word.partition("=")
        if key not in known:
            raise ValueError(f"{family} has no flag {key}; it has: {', '.join(known) or 'none'}")
        if known[key] is not float and value not in known[key]:
            raise ValueError(f"{key} is one of: {', '.join(known[key])}")
        flags[key] = float(value) if known[key] is float else value
    return flags


def size_of(family, size, vocabulary=None):
    """The sizes of a model, with another number of tokens if `vocabulary` says one."""
    sizes = dict(FAMILIES[family].SIZES[size])
    if vocabulary and "vocabulary" not in sizes:
        raise ValueError(f"{family} has no vocabulary")
    return {**sizes, "vocabulary": vocabulary} if vocabulary else sizes


def build(family, size, words=(), batch=None, opset=17, loss=True, seed=0, vocabulary=None):
    """The GraphWriter of a model. Its only output is `loss`, or without loss `scores`."""
    module, flags = FAMILIES[family], parse_flags(family, words)
    if flags.get("gelu") == "operator" and opset < 20:
        raise ValueError("the operator Gelu exists from operator set 20 on; give --opset 20")
    if flags.get("mask") == "trilu" and opset < 14:
        raise ValueError("the operator Trilu exists from operator set 14 on")
    writer = GraphWriter(opset, batch, seed)
    sizes = size_of(family, size, vocabulary)
    scores = module.build(writer, sizes, flags)
    if loss:
        module.add_loss(writer, sizes, flags)
        writer.output("loss")
    else:
        writer.output("scores", batch or "batch", *scores)
    return writer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("size")
    parser.add_argument("file")
    parser.add_argument("flags", nargs="*", metavar="FLAG=VALUE")
    parser.add_argument("--batch", type=int, help="a fixed batch")
    parser.add_argument("--vocabulary", type=int, help="tokens, instead of those of the size")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--no-loss", action="store_true", help="end in the scores")
    parser.add_argument("--weights", choices=["inside", "beside", "none"], default="inside",
                        help="in the file; in FILE.onnx.data; or said to be there without being written")
    parser.add_argument("--seed", type=int, default=0, help="of the weights")
    parser.add_argument("--data", help="an .npz of samples to write")
    parser.add_argument("--samples", type=int, default=160)
    arguments = parser.parse_intermixed_args()
    sizes = FAMILIES[arguments.family].SIZES
    if arguments.size not in sizes:
        parser.error(f"{arguments.family} has the sizes {', '.join(sizes)}")
    try:
        writer = build(arguments.family, arguments.size, arguments.flags, arguments.batch, arguments.opset,
                       not arguments.no_loss, arguments.seed, arguments.vocabulary)
    except ValueError as error:
        parser.error(str(error))
    size = sum(weight.bytes() for weight in writer.parameters())
    if arguments.weights == "inside" and size > INSIDE_LIMIT:
        parser.error(f"the weights are {size} bytes, more than fit into one file: give --weights beside or none")
    write_model(writer, f"{arguments.family}_{arguments.size}", arguments.file, arguments.weights)
    if arguments.data:
        flags = parse_flags(arguments.family, arguments.flags)
        size = size_of(arguments.family, arguments.size, arguments.vocabulary)
        synthetic_data.write(arguments.data, arguments.family, size, flags, arguments.samples)
    return 0


if __name__ == "__main__":
    sys.exit(main())
