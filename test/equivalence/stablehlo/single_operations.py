#!/usr/bin/python3
"""Single operations of StableHLO on operands that lie in every way: what is distributed gives what one device gives, or is refused.

    single_operations.py DIST_OPT MODELS WORK_FOLDER [--first 0] [--count 100]

Each seed is one operation with attributes by chance. Its operands are whole, zero, sums or maxima over the samples, or hold the
samples along any dimension: so every factor of its rule of sharding is tried, by itself and beside others.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import collections
import os
import random
import subprocess
import sys

SAMPLES = 12


def names(**lists):
    return ", ".join(f"{key} = [{', '.join(map(str, numbers))}]" for key, numbers in lists.items())


class Writer:
    """One operation."""

    def __init__(self, make, seed):
        self.make, self.dice, self.body = make, random.Random(seed), make.Body()
        self.whole, self.batch = [make.Value("%w", (4,))], [make.Value("%x", (SAMPLES,))]

    def choose(self, *options):
        return self.dice.choice(options)

    def shape(self, rank):
        return tuple(self.choose(SAMPLES, SAMPLES, 6, 1, 2) for _ in range(rank))

    def argument(self, values, shape, element):
        values.append(self.make.Value(f"%{'w' if values is self.whole else 'x'}{len(values)}", shape, element))
        return values[-1]

    def value(self, shape, element="f32", sums=True):
        form = self.choose("whole", "zero", "sum" if sums else "whole", "largest", "samples", "samples", "samples")
        places = [at for at, size in enumerate(shape) if size == SAMPLES]
        if form == "samples" and places:
            at = self.dice.choice(places)
            first = self.argument(self.batch, (SAMPLES, *shape[:at], *shape[at + 1:]), element)
            return self.body.transpose(first, [*range(1, at + 1), 0, *range(at + 1, len(shape))])
        if form == "zero":
            return self.body.fill("0" if element[0] == "i" else "0.000000e+00", shape, element)
        if form in ("sum", "largest"):
            samples = self.argument(self.batch, (SAMPLES, *shape), element)
            return self.body.reduce(samples, [0], "add" if form == "sum" else "maximum", "0" if element[0] == "i" else "0.000000e+00")
        return self.argument(self.whole, shape, element)

    def adding(self, *kinds):
        """A region that puts pairs of numbers together, each in its way."""
        count, kinds = len(kinds), kinds or ("add",)
        count = max(count, 1)
        sides = [f"%{side}{i}: tensor<f32>" for side in ("lhs", "rhs") for i in range(count)]
        lines = [f'      %both{i} = "stablehlo.{kind}"(%lhs{i}, %rhs{i}) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n'
                 for i, kind in enumerate(kinds)]
        return (f"    ^bb0({', '.join(sides)}):\n{''.join(lines)}"
                f'      "stablehlo.return"({", ".join(f"%both{i}" for i in range(count))}) : ({", ".join(["tensor<f32>"] * count)}) -> ()\n')

    def several(self, kind, operands, shapes, elements, properties, region=""):
        """An operation of several results: their sum, of those of one shape, so that each of them counts."""
        name = f"%m{self.body.count}"
        values = [self.make.Value(f"{name}#{i}", shape, element) for i, (shape, element) in enumerate(zip(shapes, elements))]
        region = f" ({{\n{region}    }})" if region else ""
        self.body.lines.append(f'    {name}:{len(values)} = "stablehlo.{kind}"({", ".join(o.name for o in operands)}) <{{{properties}}}>{region} : '
                               f"({', '.join(o.type for o in operands)}) -> ({', '.join(v.type for v in values)})")
        first, *others = [self.body.convert(value, "f32") if value.element != "f32" else value for value in values]
        for other in others:
            first = self.body.pair("add", first, other)
        return first

    def do_bitcast(self):
        shape = self.shape(2)
        before, after, ends = self.choose(("f32", "i32", ()), ("f32", "i8", (4,)), ("f64", "f32", (2,)), ("i8", "i32", ()))
        value = self.value((*shape, 4) if before == "i8" else shape, before, sums=False) # whose last bits are the order of the sum
        return self.body.op("bitcast_convert", [value], (*shape, *ends), after)

    def do_batch_norm(self):
        value, at = self.value(self.shape(3)), self.choose(0, 1, 2)
        vectors = [self.value((value.shape[at],)) for _ in range(3)]
        vectors.append(self.body.single("exponential", self.value((value.shape[at],))))
        return self.body.op("batch_norm_inference", [value, *vectors], value.shape, "f32", f"epsilon = 1.000000e-03 : f32, feature_index = {at} : i64")

    def do_custom_call(self):
        value = self.value(self.shape(2))
        if self.choose(True, False):
            return self.body.op("custom_call", [value], value.shape, "f32", 'call_target_name = "mhlo.erf"')
        shape = (*value.shape[:-1], self.choose(1, value.shape[-1]))
        return self.several("custom_call", [value], [shape, shape], ["f32", "i32"], 'call_target_name = "mhlo.topk"')

    def do_single(self):
        return self.body.single(self.choose("negate", "tanh", "abs"), self.value(self.shape(2)))

    def do_convert(self):
        before, after = self.choose(("f32", "f64"), ("f32", "i32"), ("i32", "f32"), ("i32", "i32"))
        return self.body.convert(self.value(self.shape(2), before), after)

    def do_pair(self):
        shape = self.shape(self.choose(1, 2))
        kind = self.choose("add", "subtract", "multiply", "divide", "maximum")
        left, right = self.value(shape), self.value(shape)
        if kind == "divide":
            right = self.body.single("exponential", right)
        return self.body.pair(kind, left, right if self.dice.random() < 0.8 else left)

    def do_select(self):
        shape = self.shape(2)
        bound = self.value(self.choose(shape, ()))
        which = self.body.compare(bound, self.body.fill("0.000000e+00", bound.shape), "GT")
        return self.body.select(which, self.value(shape), self.value(shape))

    def do_reshape(self):
        shape = self.choose((12, 6), (6, 12), (12, 12), (2, 12, 3), (12, 1), (4, 12), (6, 2, 12))
        value, sizes = self.value(shape), []
        rest = 1
        for size in shape:
            rest *= size
        while rest > 1 and len(sizes) < 3:
            sizes.append(self.dice.choice([size for size in range(1, rest + 1) if rest % size == 0]))
            rest //= sizes[-1]
        return self.body.reshape(value, [*sizes, rest])

    def do_broadcast(self):
        value = self.value(self.shape(2))
        places = sorted(self.dice.sample(range(3), 2))
        shape = [3, 3, 3]
        for place, size in zip(places, value.shape):
            shape[place] = self.choose(1, SAMPLES) if size == 1 else size
        return self.body.broadcast(value, shape, places)

    def do_transpose(self):
        order = [0, 1, 2]
        self.dice.shuffle(order)
        return self.body.transpose(self.value(self.shape(3)), order)

    def do_reverse(self):
        value = self.value(self.shape(2))
        return self.body.op("reverse", [value], value.shape, "f32", f"dimensions = {self.make.array(self.choose([0], [1], [0, 1]))}")

    def do_slice(self):
        value = self.value(self.shape(2))
        starts = [self.choose(0, 0, 1) if size > 1 else 0 for size in value.shape]
        strides = [self.choose(1, 1, 2) for _ in starts]
        shape = [-(-(size - start) // stride) for size, start, stride in zip(value.shape, starts, strides)]
        return self.body.op("slice", [value], shape, "f32", f"limit_indices = {self.make.array(value.shape)}, start_indices = "
                            f"{self.make.array(starts)}, strides = {self.make.array(strides)}")

    def do_pad(self):
        value = self.value(self.shape(2))
        low, high, between = ([self.choose(0, 0, 1) for _ in value.shape] for _ in range(3))
        shape = [size + a + b + (size - 1) * c for size, a, b, c in zip(value.shape, low, high, between)]
        return self.body.op("pad", [value, self.value(())], shape, "f32", f"edge_padding_high = {self.make.array(high)}, "
                            f"edge_padding_low = {self.make.array(low)}, interior_padding = {self.make.array(between)}")

    def do_concatenate(self):
        shape, at = list(self.shape(2)), self.choose(0, 1)
        values = [self.value(tuple(shape)) for _ in range(self.choose(1, 2, 3))]
        shape[at] *= len(values)
        return self.body.op("concatenate", values, shape, "f32", f"dimension = {at} : i64")

    def do_plain_dot(self):
        shared, left, right = self.choose(SAMPLES, 4), self.choose((), (SAMPLES,), (5,)), self.choose((), (SAMPLES,), (5,))
        return self.body.op("dot", [self.value((*left, shared)), self.value((shared, *right))], (*left, *right))

    def do_dot(self):
        kinds = ["batching"] * self.choose(0, 0, 1) + ["contracting"] * self.choose(0, 1, 1, 2)
        shared = [(kind, self.choose(SAMPLES, SAMPLES, 4)) for kind in kinds]
        sides, free = [], []
        for _ in range(2):
            side = list(enumerate(shared)) + [(-1, ("free", self.choose(SAMPLES, 5)))] * self.choose(0, 1, 1)
            self.dice.shuffle(side)
            sides.append(side)
            free += [size for _, (kind, size) in side if kind == "free"]
        dims = {f"{name}_{wanted}_dimensions": [at for i, (kind, _) in enumerate(shared) if kind == wanted
                                                for at, (index, _) in enumerate(side) if index == i]
                for name, side in zip(("lhs", "rhs"), sides) for wanted in ("batching", "contracting")}
        shape = [size for kind, size in shared if kind == "batching"] + free
        return self.body.op("dot_general", [self.value(tuple(size for _, (_, size) in side)) for side in sides], shape, "f32",
                            f"dot_dimension_numbers = #stablehlo.dot<{names(**{key: at for key, at in dims.items() if at})}>")

    def do_convolution(self):
        of_features, of_batch = self.choose((1, 1), (1, 1), (2, 1), (4, 1), (1, 2), (SAMPLES, 1), (1, SAMPLES))
        sizes = {"b": self.choose(SAMPLES, 2 * of_batch), "f": self.choose(SAMPLES, 4 * of_features),
                 "o": self.choose(SAMPLES, 2 * of_features * of_batch)}
        sizes["i"] = sizes["f"] // of_features
        sides = self.choose("bf0", "b0f", "fb0"), self.choose("oi0", "0io", "io0"), self.choose("bf0", "b0f")
        shapes = [[{**sizes, "0": SAMPLES}[d] for d in sides[0]], [{**sizes, "0": 3}[d] for d in sides[1]],
                  [{**sizes, "b": sizes["b"] // of_batch, "f": sizes["o"], "0": SAMPLES - 2}[d] for d in sides[2]]]
        left, right, result = (f"[{', '.join(side)}]" for side in sides)
        return self.body.op("convolution", [self.value(tuple(shape)) for shape in shapes[:2]], shapes[2], "f32",
                            f"batch_group_count = {of_batch} : i64, dimension_numbers = #stablehlo.conv<{left}x{right}->{result}>, "
                            f"feature_group_count = {of_features} : i64")

    def do_reduce(self):
        value = self.value(self.shape(self.choose(1, 2, 3)))
        axes = sorted(self.dice.sample(range(len(value.shape)), self.dice.randint(0, len(value.shape))))
        shape = [size for at, size in enumerate(value.shape) if at not in axes]
        if self.dice.random() < 0.3:
            kinds = self.choose(("add", "add"), ("maximum", "maximum"), ("add", "maximum"))
            return self.several("reduce", [value, self.value(value.shape), self.value(()), self.value(())], [shape, shape], ["f32", "f32"],
                                f"dimensions = {self.make.array(axes)}", self.adding(*kinds))
        return self.body.op("reduce", [value, self.value(())], shape, "f32", f"dimensions = {self.make.array(axes)}",
                            self.adding(self.choose("add", "add", "maximum", "minimum")))

    def do_reduce_window(self):
        value = self.value(self.shape(2))
        window = [self.choose(1, 1, 2) if size > 1 else 1 for size in value.shape]
        shape = [size - extent + 1 for size, extent in zip(value.shape, window)]
        return self.body.op("reduce_window", [value, self.value(())], shape, "f32", f"window_dimensions = {self.make.array(window)}",
                            self.adding(self.choose("add", "maximum")))

    def starts(self, count):
        return [self.argument(self.whole, (), "i32") if self.dice.random() < 0.5 else self.body.constant("0", (), "i32") for _ in range(count)]

    def do_dynamic_slice(self):
        value = self.value(self.shape(2))
        sizes = [self.choose(size, size, 1) for size in value.shape]
        return self.body.op("dynamic_slice", [value, *self.starts(2)], sizes, "f32", f"slice_sizes = {self.make.array(sizes)}")

    def do_dynamic_update_slice(self):
        value = self.value(self.shape(2))
        update = self.value(tuple(self.choose(size, size, 1) for size in value.shape))
        return self.body.op("dynamic_update_slice", [value, update, *self.starts(2)], value.shape)

    def lookup(self):
        """Table, indices and windows, and what their dimensions are: within a window, dropped, batching, indexed, and the vector."""
        table = [self.choose(SAMPLES, 5) for _ in range(self.choose(1, 2, 3))]
        kinds = [self.choose("dropped", "within", "batching", "within") for _ in table]
        of = lambda wanted: [at for at, kind in enumerate(kinds) if kind == wanted]
        indexed = sorted(of("dropped") + [at for at in of("within") if self.dice.random() < 0.3])
        outer = [(-1, self.choose(SAMPLES, 3))] * self.choose(0, 1) + [(at, table[at]) for at in of("batching")]
        self.dice.shuffle(outer)
        vector = self.dice.randint(0, len(outer))
        indices = [size for _, size in outer[:vector]] + [max(1, len(indexed))] + [size for _, size in outer[vector:]]
        beside = [next(i + (i >= vector) for i, (index, _) in enumerate(outer) if index == at) for at in of("batching")]
        sizes = [1 if kind != "within" else self.choose(size, 2) if at in indexed else size
                 for at, (size, kind) in enumerate(zip(table, kinds))]
        windows, within = [size for _, size in outer], []
        for at in of("within"):
            within.append(self.dice.randint(within[-1] + 1 if within else 0, len(windows)))
            windows.insert(within[-1], sizes[at])
        return tuple(table), tuple(indices), tuple(windows), (within, of("dropped"), of("batching"), beside, indexed, vector), sizes

    def do_gather(self):
        table, indices, windows, (within, dropped, batching, beside, indexed, vector), sizes = self.lookup()
        dims = names(offset_dims=within, collapsed_slice_dims=dropped, operand_batching_dims=batching, start_indices_batching_dims=beside,
                     start_index_map=indexed)
        return self.body.op("gather", [self.value(table), self.value(indices, "i32")], windows, "f32",
                            f"dimension_numbers = #stablehlo.gather<{dims}, index_vector_dim = {vector}>, indices_are_sorted = false, "
                            f"slice_sizes = {self.make.array(sizes)}")

    def do_scatter(self):
        table, indices, windows, (within, dropped, batching, beside, indexed, vector), _ = self.lookup()
        dims = names(update_window_dims=within, inserted_window_dims=dropped, input_batching_dims=batching,
                     scatter_indices_batching_dims=beside, scatter_dims_to_operand_dims=indexed)
        properties = (f"indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<{dims}, index_vector_dim = {vector}>, "
                      "unique_indices = false")
        if self.dice.random() < 0.3:
            kinds = self.choose(("add", "add"), ("add", "add"), ("add", "maximum"))
            tables, updates = [self.value(table) for _ in kinds], [self.value(windows) for _ in kinds]
            return self.several("scatter", [*tables, self.value(indices, "i32"), *updates], [table] * 2, ["f32"] * 2, properties,
                                self.adding(*kinds))
        return self.body.op("scatter", [self.value(table), self.value(indices, "i32"), self.value(windows)], table, "f32", properties,
                            self.adding(self.choose("add", "add", "maximum")))

    def text(self):
        self.kind = self.dice.choice([name for name in dir(self) if name.startswith("do_")])
        result = getattr(self, self.kind)()
        arguments = [(value, f"tf.aliasing_output = {i} : i32") for i, value in enumerate(self.whole)] + [(value, "") for value in self.batch]
        outputs = [(value, f'jax.result_info = "[{i}]"') for i, value in enumerate([*self.whole, result])]
        return self.make.write_module("single", "One operation.", self.make.write_function(self.body, arguments, outputs))


def run(seed, args, make):
    """The operation, and whether it was distributed; ends with an error at a difference."""
    ranks = (2, 3, 4)[seed % 3]
    one, many = (os.path.join(args.work, name) for name in ("one.mlir", "many.mlir"))
    writer = Writer(make, seed)
    with open(one, "w", encoding="utf-8") as file:
        file.write(writer.text())
    passes = ["--stablehlo-import-roles", f"--stablehlo-distribute=ranks={ranks}", "--convert-collective-to-stablehlo", "--stablehlo-export-roles"]
    made = subprocess.run([args.dist_opt, "--allow-unregistered-dialect", one, *passes, "-o", many], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        if made.returncode < 0 or "'stablehlo." not in made.stderr or "fault" in made.stderr or "well formed" in made.stderr:
            sys.exit(f"seed {seed}: {made.stderr}")
        return writer.kind, False
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_ranks.py")
    ran = subprocess.run([sys.executable, script, one, many, "--ranks", str(ranks), "--steps", "1", "--limit", "1e-4"],
                         capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"seed {seed}: {ran.stderr[-2000:]}")
    return writer.kind, True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist_opt")
    parser.add_argument("models")
    parser.add_argument("work")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    args = parser.parse_args()
    sys.path.insert(0, os.path.join(args.models, "stablehlo"))
    sys.dont_write_bytecode = True
    import make_steps as make
    os.makedirs(args.work, exist_ok=True)
    outcomes = [run(seed, args, make) for seed in range(args.first, args.first + args.count)]
    distributed = collections.Counter(kind for kind, is_distributed in outcomes if is_distributed)
    print(f"{distributed.total()} of {len(outcomes)} operations of {len(distributed)} kinds were distributed and agree; the others were refused")


if __name__ == "__main__":
    main()
