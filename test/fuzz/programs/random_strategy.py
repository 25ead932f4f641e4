"""Random ways to train a graph: the recipe, how it is distributed, and what stock passes run between."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from dataclasses import dataclass, field, replace

# Passes of any MLIR tool, which know nothing of training or of collectives.
STOCK_PASSES = ("canonicalize", "cse", "sccp", "control-flow-sink", "loop-invariant-code-motion", "symbol-dce", "inline",
                "topological-sort")

# Keys that change no bit (docs/communication.md, docs/memory.md).
KEEPS_BITS = ("buckets", "bucket-bytes", "bucket-count", "overlap", "shard-optimizer", "keep-gathered")
# Keys that round on the way: equal within these limits, as all other keys are within LIMIT.
LIMITS = {"compress": 3e-2}
LIMIT = 1e-5
NARROW_LIMIT = 5e-2  # of a recipe that computes in 16 bits, whose sums over a batch round


@dataclass(frozen=True)
class Strategy:
    recipe: str
    ranks: int
    global_batch: int
    keys: dict = field(default_factory=dict)
    passes: tuple = ()
    run: tuple = ()  # flags of dist-run, in groups; FOLDER is one of the case
    room: float = 1.0  # the share of its memory that a rank may have
    is_verified: bool = False  # exactly, before it trains
    adds_by_nodes_of: int = 0  # ranks, as what goes by node and a sharded gradient have other bits in rank order; 0: adds in that
    resumes_on: int = 0  # ranks on which plain training goes on from the middle; 0: it does not
    kept: tuple = ("sync-batch-norm", "batch-policy")  # keys that change what is computed, not only how

    def distribute(self):
        return " ".join(f"{key}={value}" for key, value in self.keys.items())

    def plain(self):
        """The same training with none of the keys that may not change it, and no passes between."""
        keys = {key: value for key, value in self.keys.items() if key in self.kept}
        return replace(self, keys=keys, passes=(), run=(), room=1.0)

    def continued(self):
        """What may go on with a run of it: the keys that decide numbers stay (docs/running.md)."""
        keys = {key: value for key, value in self.keys.items() if key in (*self.kept, "accumulate", "compress")}
        return replace(self, keys=keys, passes=(), run=(), room=1.0)

    def ordered(self):
        """The same with the keys alone that decide the order of sums, or what is rounded."""
        hides = {"chunks", "interleave"} & set(self.keys)  # which is nothing without overlap
        keys = {key: value for key, value in self.keys.items() if key not in KEEPS_BITS or (hides and key == "overlap")}
        return replace(self, keys=keys, passes=(), run=(), room=1.0)

    def alone(self):
        return replace(self.plain(), ranks=1)

    def takes_statistics(self):
        """The same for a model with batch normalization: its statistics are those of a micro-batch (docs/memory.md)."""
        return replace(self, kept=(*self.kept, "accumulate"))

    def is_one_step_alone(self):
        """Whether one rank that distributes nothing computes the same step."""
        return self.keys.get("accumulate", 1) == 1 or "accumulate" not in self.kept

    def is_for_one_rank(self):
        """Whether one rank may run its program."""
        return "mesh" not in self.keys

    def keeps_bits(self):
        """Whether it has the bits of what is only ordered alike."""
        # A norm of parts adds its squares in another order (docs/memory.md).
        return self.keys.get("shard-optimizer", 0) < 2 or "clip-norm" not in self.recipe

    def order(self):
        """Flags of dist-run that decide in which order it adds."""
        return ("--reductions", "by-node", "--ranks-per-node", str(self.adds_by_nodes_of)) if self.adds_by_nodes_of else ()

    def own_limit(self):
        """Of the recipe, whatever the keys are."""
        return NARROW_LIMIT if "compute=" in self.recipe else LIMIT

    def limit(self):
        return max([LIMITS.get(key, 0.0) for key in self.keys] + [self.own_limit()])

    def simpler(self):
        """The same with one thing less, for each thing."""
        for index in range(len(self.passes)):
            yield replace(self, passes=self.passes[:index] + self.passes[index + 1:])
        for index in range(len(self.run)):
            yield replace(self, run=self.run[:index] + self.run[index + 1:])
        if self.room < 1:
            yield replace(self, room=1.0)
        if self.is_verified:
            yield replace(self, is_verified=False)
        if self.resumes_on:
            yield replace(self, resumes_on=0)
        for key in self.keys:
            yield replace(self, keys={other: value for other, value in self.keys.items() if other != key})


def random_recipe(random, loss):
    """Without the batch."""
    optimizer = random.choice(("sgd", "momentum", "adagrad", "rowwise-adagrad", "adam", "adamw", "rmsprop", "nadam", "lamb"))
    # Adam divides by the size of a gradient: noise of rounding stays small only where its epsilon is not.
    rate = {"sgd": 0.1, "momentum": 0.05, "adagrad": 0.05, "rowwise-adagrad": 0.05}.get(optimizer, 0.01)
    words = [f"{loss} optimizer={optimizer} learning-rate={rate}"]
    if optimizer not in ("sgd", "momentum"):
        words.append("epsilon=1e-2")
    if optimizer == "sgd" and random.random() < 0.3:
        words.append("momentum=0.9 nesterov=true")
    if random.random() < 0.3:
        words.append("weight-decay=0.01")
    if random.random() < 0.3:
        words.append(f"clip-norm={random.choice((0.1, 1, 10))}")
    if random.random() < 0.3:
        words.append(f"loss-scale={random.choice(('128', '1024', 'dynamic'))}")
    if random.random() < 0.15:
        words.append("ema=0.9")
    if random.random() < 0.15:
        words.append(random.choice(("warmup-steps=3", "schedule=cosine total-steps=10", "schedule=step step-size=2 gamma=0.5")))
    if random.random() < 0.15:
        words.append("gradient-norm=true")
    if random.random() < 0.15:
        words.append("learning-rate-scale=*e*:0.5")
    if random.random() < 0.1:
        words.append("compute=bf16")
    return " ".join(words)


def random_run(random):
    """Flags of dist-run that change no number."""
    flags = (("--backend", "gloo", "--rendezvous", "FOLDER"), ("--offload", "FOLDER"), ("--check-replicas", "2"), ("--no-load-ahead",),
             ("--trace", "FOLDER/trace.json"), ("--report", "FOLDER/report.html"), ("--no-pin",), ("--plan",))
    return tuple(flag for flag in flags if random.random() < 0.12)


def random_mesh(random, ranks, matrices):
    """Keys by which neighbours share the model."""
    parts = random.choice([size for size in (2, 3, 4) if ranks % size == 0])
    keys = {"mesh": f"dp:{ranks // parts},tp:{parts}"}
    if random.random() < 0.4:
        keys["sequence"] = "true"
    if random.random() < 0.3:
        named = random.sample(matrices, min(2, len(matrices)))
        rules = [f"{name}={random.choice([place for place in (0, 1) if shape[place] % parts == 0] or ['whole'])}" for name, shape in named]
        keys["tensor"] = ";".join([random.choice(("auto", rules[0])), *rules[1:]])
    return keys


def random_strategy(random, model):
    """For `model`, which has been written."""
    ranks = random.choice((2, 3, 4, 4, 6))
    global_batch = 12 * random.choice((1, 2, 4, 6))
    recipe = random_recipe(random, model.loss)
    keys = {"sync-batch-norm": "true"}
    has_mesh = random.random() < 0.5
    if has_mesh:
        keys |= random_mesh(random, ranks, model.matrices())
    if random.random() < 0.5:
        bucket = random.choice((("buckets", "none"), ("bucket-bytes", random.choice((4, 64, 1000))), ("bucket-count", 2)))
        keys[bucket[0]] = bucket[1]
    if random.random() < 0.4:
        keys["overlap"] = "true"
    if random.random() < 0.4:
        keys["shard-optimizer"] = random.choice((1, 2, 3))
        if keys["shard-optimizer"] == 3 and random.random() < 0.5:
            keys["keep-gathered"] = random.choice(("all", 500, 2000))
    if random.random() < 0.25:
        keys["accumulate"] = random.choice((2, 3)) if global_batch % (6 * ranks) == 0 else 1
    nodes = 0
    parts = int(keys["mesh"].split("tp:")[1]) if has_mesh else 1
    whole = [count for count in (2, ranks // 2) if count % parts == 0 and count < ranks]  # groups of neighbours in each node
    if whole and random.random() < 0.3:
        nodes = keys["hierarchy"] = random.choice(whole)
    if random.random() < 0.2:
        keys |= random.choice(({"shard": "contiguous"}, {"root": ranks - 1}, {"trainable-only": "true"}))
    if random.random() < 0.15:
        keys["compress"] = random.choice(("f16", "bf16"))
        if "loss-scale=dynamic" in recipe:
            keys["compress"] = "bf16"  # of which a large scale is no overflow, by which a step would be left out
    if model.tables and random.random() < 0.15:
        keys |= {"serve": ",".join(model.tables)} if random.random() < 0.5 else {"sparse": "rows"}
    if not has_mesh and "serve" not in keys and random.random() < 0.15:
        global_batch += random.choice((1, 2, 5))
        keys["batch-policy"] = "weighted"
    if has_mesh and random.random() < 0.4:
        keys["overlap"] = "true"
        if keys.get("accumulate", 1) > 1 and random.random() < 0.5:
            keys["interleave"] = keys["accumulate"]
        else:
            keys |= {"chunks": 2, "chunk-min-bytes": 1}
    return Strategy(f"{recipe} global-batch={global_batch}", ranks, global_batch, keys,
                    passes=tuple(random.sample(STOCK_PASSES, random.randint(0, 5))),
                    run=random_run(random),
                    room=random.choice((1.0, 1.0, 0.9, 0.8)),
                    is_verified=random.random() < 0.3,
                    adds_by_nodes_of=nodes if "shard-optimizer" in keys or random.random() < 0.3 else 0,
                    resumes_on=random.choice((0, 0, 0, 1, 2, 4)))
