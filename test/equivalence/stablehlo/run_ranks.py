#!/usr/bin/python3
"""Trains with a step for one device, and with what was made of it for N ranks, and compares all that they return.

    run_ranks.py ONE.mlir MANY.mlir --ranks N [--neighbours 1] [--steps 5] [--limit 1e-5] [--seed 0]

Both are read as they were printed. Marked arguments are state, which the results of the same place replace; other tensors are
the batch, of which rank r is given block r; scalars are a rate. Every rank must return the same bits. With --neighbours, so many
ranks in turn are given the same block of the batch, and of state that MANY takes smaller each its block.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import sys

import numpy as np
from interpreter import Machine, load, parse_type


def make_argument(random, text, name):
    shape, dtype = parse_type(text)
    if np.issubdtype(dtype, np.floating):
        return (random.standard_normal(shape) * 0.3).astype(dtype) if shape else np.array(0.01, dtype)
    return random.integers(0, 10, shape).astype(dtype) if shape else np.zeros(shape, dtype)


def is_state(attributes):
    return "tf.aliasing_output" in attributes or "jax.buffer_donor" in attributes


def is_batch(function, index):
    shape, dtype = parse_type(function.argument_types[index])
    return len(shape) > 0 and not is_state(function.argument_attributes[index]) and dtype != np.uint32


def worst(one, many):
    """The largest difference, as a share of the value or of 1."""
    one, many = one.astype(np.float64), many.astype(np.float64)
    return float(np.max(np.abs(one - many) / np.maximum(np.abs(one), 1.0), initial=0.0))


def part_axis(whole, part):
    """The dimension along which a shape is a block of another; None if it is the same."""
    different = [axis for axis, (all_of_it, own) in enumerate(zip(whole, part)) if all_of_it != own]
    if len(whole) != len(part) or len(different) > 1:
        sys.exit(f"a value of shape {part} is no block of one of shape {whole}")
    return different[0] if different else None


def blocks_of(value, shape, ranks, neighbours):
    """What each rank has of a value, if `shape` is what one has."""
    axis = part_axis(value.shape, shape)
    return [value] * ranks if axis is None else np.split(value, neighbours, axis) * (ranks // neighbours)


def joined(found, shape, neighbours):
    """The whole value of shape `shape`, of which each rank has a block or all; ranks of one block have the same bits."""
    axis = part_axis(shape, found[0].shape)
    own = 1 if axis is None else neighbours
    if any(value.tobytes() != found[rank % own].tobytes() for rank, value in enumerate(found)):
        return None
    return found[0] if axis is None else np.concatenate(found[:neighbours], axis)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("one")
    parser.add_argument("many")
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--neighbours", type=int, default=1)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--limit", type=float, default=1e-5)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    single, (functions, attributes) = Machine(load(args.one)[0], 1), load(args.many)
    replicas = int(attributes.get("mhlo.num_replicas", "1").split(":")[0])
    if replicas != args.ranks:
        sys.exit(f"{args.many} is for {replicas} replicas, not {args.ranks}")
    many = Machine(functions, args.ranks)
    main_function = single.functions["main"]
    random = np.random.default_rng(args.seed)
    values = [make_argument(random, text, name) for text, name in zip(main_function.argument_types, main_function.block.arguments)]
    state = [i for i, text in enumerate(main_function.argument_attributes) if is_state(text)]
    for i in state: # second moments and the like are not negative
        values[i] = np.abs(values[i]) if len(state) > 4 else values[i]
    taken = [parse_type(text)[0] for text in many.functions["main"].argument_types]
    on_ranks = {i: blocks_of(values[i], taken[i], args.ranks, args.neighbours) for i in state}
    difference, losses = 0.0, []
    for _ in range(args.steps):
        for i, text in enumerate(main_function.argument_types):
            if is_batch(main_function, i):
                values[i] = make_argument(random, text, "")
        given = [on_ranks.get(i) or (np.repeat(np.split(value, args.ranks // args.neighbours), args.neighbours, 0) if is_batch(main_function, i) else [value] * args.ranks)
                 for i, value in enumerate(values)]
        one = [result[0] for result in single.run("main", [[value] for value in values])]
        results = many.run("main", given)
        for index, (expected, found) in enumerate(zip(one, results)):
            whole = joined(found, expected.shape, args.neighbours)
            if whole is None:
                sys.exit(f"result {index} is not the same on every rank")
            difference = max(difference, worst(expected, whole))
        for place, i in enumerate(state):
            values[i], on_ranks[i] = one[place], results[place]
        losses.append(float(one[len(state)]) if one[len(state)].ndim == 0 else 0.0)
    print(f"{args.ranks} ranks, {args.steps} steps: largest difference {difference:.2e}, {many.sums} all_reduce, "
          f"loss {losses[0]:.6f} -> {losses[-1]:.6f}")
    if not difference <= args.limit:
        sys.exit(f"differs by {difference:.2e}, more than {args.limit:.0e}")


if __name__ == "__main__":
    main()
