#!/usr/bin/python3
"""Random steps in generic StableHLO: what is distributed gives what one device gives, or is refused with an error.

    random_steps.py DIST_OPT MODELS WORK_FOLDER [--first 0] [--count 20]

Each seed is a program of some 25 operations on a batch of 12, two tables and three weights; the number of ranks is 2, 3, 4 or 6.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import os
import random
import subprocess
import sys

SAMPLES = 12


class Writer:
    """One random program."""

    def __init__(self, make, seed):
        self.make, self.dice, self.body = make, random.Random(seed), make.Body()
        self.params = [make.Value("%arg0", (4, 6)), make.Value("%arg1", (6,)), make.Value("%arg2", (12, 6))]
        self.batch = [make.Value("%arg3", (SAMPLES, 4)), make.Value("%arg4", (SAMPLES, 3), "i32")]
        self.values = list(self.params) + [self.batch[0]]

    def pick(self, test=lambda value: True):
        fits = [value for value in self.values[-12:] + self.params + self.batch[:1] if test(value)]
        return self.dice.choice(fits) if fits else None

    def step(self):
        kind = self.dice.choice([name for name in dir(self) if name.startswith("do_")])
        result = getattr(self, kind)()
        if result is not None and 0 < len(result.shape) <= 3 and max(result.shape) <= 144:
            self.values.append(result)

    def may_be_samples(self, size):
        """Most programs that cut what holds samples are refused: one in ten may."""
        return size % SAMPLES == 0 and self.dice.random() < 0.9

    def do_single(self):
        value = self.pick()
        return self.body.single(self.dice.choice(["negate", "tanh", "abs", "sine"]), value)

    def do_pair(self):
        left = self.pick()
        right = self.pick(lambda value: value.shape == left.shape)
        return self.body.pair(self.dice.choice(["add", "subtract", "multiply", "maximum"]), left, right)

    def do_scale(self):
        return self.body.scale(self.pick(), "5.000000e-01")

    def do_select(self):
        left = self.pick()
        right = self.pick(lambda value: value.shape == left.shape)
        which = self.body.compare(left, self.body.fill("1.000000e-01", left.shape), "GT")
        return self.body.select(which, right, self.body.fill("0.000000e+00", left.shape))

    def do_reduce(self):
        value = self.pick()
        axes = sorted(self.dice.sample(range(len(value.shape)), self.dice.randint(1, len(value.shape))))
        if self.dice.random() < 0.25:
            return self.body.reduce(value, axes, "maximum", "0xFF800000")
        reduced = self.body.reduce(value, axes)
        return self.body.scale(reduced, "1.000000e-01")

    def do_transpose(self):
        value = self.pick()
        order = list(range(len(value.shape)))
        self.dice.shuffle(order)
        return self.body.transpose(value, order)

    def do_reshape(self):
        value = self.pick(lambda value: len(value.shape) >= 2)
        if value is None:
            return None
        at = self.dice.randrange(len(value.shape) - 1)
        shape = list(value.shape)
        if self.dice.random() < 0.5:
            shape[at:at + 2] = [shape[at] * shape[at + 1]]
        else:
            half = next((n for n in (2, 3) if shape[at] % n == 0), 1)
            shape[at:at + 1] = [shape[at] // half, half]
        return self.body.reshape(value, shape)

    def do_broadcast(self):
        value = self.pick(lambda value: len(value.shape) <= 2)
        at = self.dice.randint(0, len(value.shape))
        shape = list(value.shape)
        shape.insert(at, self.dice.choice([2, 6, SAMPLES]))
        return self.body.broadcast(value, shape, [d for d in range(len(shape)) if d != at])

    def do_dot(self):
        left = self.pick(lambda value: len(value.shape) == 2)
        right = self.pick(lambda value: len(value.shape) == 2 and set(value.shape) & set(left.shape)) if left else None
        if right is None:
            return None
        a, b = self.dice.choice([(a, b) for a in (0, 1) for b in (0, 1) if left.shape[a] == right.shape[b]] or [(None, None)])
        return None if a is None else self.body.scale(self.body.dot(left, right, a, b), "1.000000e-01")

    def do_slice(self):
        value = self.pick()
        begin = [self.dice.randint(0, n // 3) for n in value.shape]
        end = [self.dice.randint(b + 1, n) for b, n in zip(begin, value.shape)]
        keep = self.dice.randrange(len(value.shape))
        for axis, size in enumerate(value.shape):
            if axis == keep or self.may_be_samples(size):
                begin[axis], end[axis] = 0, size
        shape = [e - b for b, e in zip(begin, end)]
        return self.body.op("slice", [value], shape, "f32", f"limit_indices = {self.make.array(end)}, "
                            f"start_indices = {self.make.array(begin)}, strides = {self.make.array([1] * len(shape))}")

    def do_join(self):
        left = self.pick()
        right = self.pick(lambda value: value.shape == left.shape)
        at = self.dice.randrange(len(left.shape))
        if self.may_be_samples(left.shape[at]):
            return None
        shape = [n * (2 if d == at else 1) for d, n in enumerate(left.shape)]
        return self.body.op("concatenate", [left, right], shape, "f32", f"dimension = {at} : i64")

    def do_pad(self):
        value = self.pick()
        low = [0 if self.may_be_samples(n) else self.dice.choice([0, 0, 1]) for n in value.shape]
        zero = self.body.constant("0.000000e+00")
        shape = [n + a for n, a in zip(value.shape, low)]
        return self.body.op("pad", [value, zero], shape, "f32", f"edge_padding_high = {self.make.array([0] * len(low))}, "
                            f"edge_padding_low = {self.make.array(low)}, interior_padding = {self.make.array([0] * len(low))}")

    def do_reverse(self):
        value = self.pick()
        return self.body.op("reverse", [value], value.shape, "f32", f"dimensions = {self.make.array([len(value.shape) - 1])}")

    def do_lookup(self):
        table = self.params[2]
        indices = self.body.reshape(self.batch[1], (SAMPLES, 3, 1))
        return self.body.op("gather", [table, indices], (SAMPLES, 3, table.shape[1]), "f32",
                            "dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], "
                            f"index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = {self.make.array((1, table.shape[1]))}")

    def do_choose(self):
        """One element of each row, as jnp.take_along_axis takes it."""
        table = self.pick(lambda value: len(value.shape) == 2 and value.shape[0] == SAMPLES)
        if table is None:
            return None
        indices = self.body.reshape(self.batch[1], (SAMPLES, 3, 1))
        return self.body.op("gather", [table, indices], (SAMPLES, 3), "f32",
                            "dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], "
                            "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, "
                            f"indices_are_sorted = false, slice_sizes = {self.make.array((1, 1))}")

    def do_add_rows(self):
        rows = self.pick(lambda value: len(value.shape) == 3 and value.shape[:2] == (SAMPLES, 3))
        table = rows and self.pick(lambda value: len(value.shape) == 2 and value.shape[0] >= 10 and value.shape[1] == rows.shape[2])
        if not table:
            return None
        indices = self.body.reshape(self.batch[1], (SAMPLES, 3, 1))
        region = ("    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):\n"
                  '      %both = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n'
                  '      "stablehlo.return"(%both) : (tensor<f32>) -> ()\n')
        return self.body.op("scatter", [table, indices, rows], table.shape, "f32",
                            "indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], "
                            "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false",
                            region)

    def text(self):
        for _ in range(25):
            self.step()
        results = []
        for param in self.params:
            found = self.pick(lambda value, shape=param.shape: value.shape == shape)
            results.append(self.body.pair("subtract", param, self.body.scale(self.body.single("tanh", found), "1.000000e-01")))
        sums = [self.body.reduce(value, list(range(len(value.shape)))) for value in self.values[-6:]]
        arguments = [(p, f"tf.aliasing_output = {i} : i32") for i, p in enumerate(self.params)] + [(b, "") for b in self.batch]
        outputs = [(value, f'jax.result_info = "[{i}]"') for i, value in enumerate(results + sums + self.values[-3:])]
        return self.make.write_module("random", "Random.", self.make.write_function(self.body, arguments, outputs))


def run(seed, args, make):
    """Whether it was distributed; ends with an error at a difference."""
    ranks = (2, 3, 4, 6)[seed % 4]
    one, many = (os.path.join(args.work, name) for name in ("one.mlir", "many.mlir"))
    with open(one, "w", encoding="utf-8") as file:
        file.write(Writer(make, seed).text())
    passes = ["--stablehlo-import-roles", f"--stablehlo-distribute=ranks={ranks}", "--distribute-verify-replication",
              "--collective-fuse", "--convert-collective-to-stablehlo", "--stablehlo-export-roles"]
    made = subprocess.run([args.dist_opt, "--allow-unregistered-dialect", one, *passes, "-o", many], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        if made.returncode < 0 or "'stablehlo." not in made.stderr or "leaves @step different" in made.stderr or "fault" in made.stderr:
            sys.exit(f"seed {seed}: {made.stderr}")
        return False
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_ranks.py")
    ran = subprocess.run([sys.executable, script, one, many, "--ranks", str(ranks), "--steps", "2", "--limit", "1e-4"],
                         capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"seed {seed}: {ran.stderr[-2000:]}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist_opt")
    parser.add_argument("models")
    parser.add_argument("work")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    args = parser.parse_args()
    sys.path.insert(0, os.path.join(args.models, "stablehlo"))
    sys.dont_write_bytecode = True
    import make_steps as make
    os.makedirs(args.work, exist_ok=True)
    outcomes = [run(seed, args, make) for seed in range(args.first, args.first + args.count)]
    print(f"{sum(outcomes)} of {len(outcomes)} steps were distributed and agree; the others were refused")


if __name__ == "__main__":
    main()
