#!/usr/bin/python3
"""Trains with a step for one device, and with what was made of it for N ranks, and compares all that they return.

    run_ranks.py ONE.mlir MANY.mlir --ranks N [--steps 5] [--limit 1e-5] [--seed 0]

Both are read as they were printed. Marked arguments are state, which the results of the same place replace; other tensors are
the batch, of which rank r is given block r; scalars are a rate. Every rank must return the same bits.
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("one")
    parser.add_argument("many")
    parser.add_argument("--ranks", type=int, required=True)
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
    on_ranks = {i: [values[i]] * args.ranks for i in state}
    difference, losses = 0.0, []
    for _ in range(args.steps):
        for i, text in enumerate(main_function.argument_types):
            if is_batch(main_function, i):
                values[i] = make_argument(random, text, "")
        given = [on_ranks.get(i) or (np.split(value, args.ranks) if is_batch(main_function, i) else [value] * args.ranks)
                 for i, value in enumerate(values)]
        one = [result[0] for result in single.run("main", [[value] for value in values])]
        results = many.run("main", given)
        for index, (expected, found) in enumerate(zip(one, results)):
            if any(rank.tobytes() != found[0].tobytes() for rank in found):
                sys.exit(f"result {index} is not the same on every rank")
            if found[0].shape != expected.shape:
                sys.exit(f"result {index} has shape {found[0].shape}, on one device {expected.shape}")
            difference = max(difference, worst(expected, found[0]))
        for place, i in enumerate(state):
            values[i], on_ranks[i] = one[place], results[place]
        losses.append(float(one[len(state)]) if one[len(state)].ndim == 0 else 0.0)
    print(f"{args.ranks} ranks, {args.steps} steps: largest difference {difference:.2e}, {many.sums} all_reduce, "
          f"loss {losses[0]:.6f} -> {losses[-1]:.6f}")
    if not difference <= args.limit:
        sys.exit(f"differs by {difference:.2e}, more than {args.limit:.0e}")


if __name__ == "__main__":
    main()
