"""Samples for the model families, from a seed: each has something to learn, so that losses fall."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

SEED = 20240611
NOT_COUNTED = -100  # the label of a position that was not masked
MASK = 1            # the token that stands for a masked one; 0 fills up short sequences


def _images(random, size, flags, samples):
    """Noise over one coarse picture per class: 4 by 4 fields of one colour each."""
    side = size["image"] // 4
    label = random.randint(0, size["classes"], samples)
    fields = random.standard_normal((size["classes"], 3, 4, 4))
    pictures = fields.repeat(side, axis=2).repeat(side, axis=3)
    noise = random.standard_normal((samples, 3, size["image"], size["image"]))
    return {"input": (pictures[label] + 0.5 * noise).astype(np.float32), "label": label.astype(np.int64)}


def _sentences(random, size, samples):
    """Tokens from 2 on; each follows from the one before it, but for one in five that is drawn."""
    usable = size["vocabulary"] - 2
    tokens = random.randint(0, usable, (samples, size["sequence"]))
    kept = random.random_sample(tokens.shape) < 0.8
    for place in range(1, size["sequence"]):
        follows = (3 * tokens[:, place - 1] + 7) % usable
        tokens[:, place] = np.where(kept[:, place], follows, tokens[:, place])
    return tokens.astype(np.int64) + 2


def _causal(random, size, flags, samples):
    tokens = _sentences(random, size, samples)
    return {"input_ids": tokens, "labels": tokens}


def _masked(random, size, flags, samples):
    """Sentences of different lengths in two parts; about 15 % of the tokens are masked, by head classified or not."""
    tokens, sequence = _sentences(random, size, samples), size["sequence"]
    place, length = np.arange(sequence), random.randint(sequence // 2, sequence + 1, samples)
    present = place < length[:, None]
    feeds = {"attention_mask": present.astype(np.int64),
             "token_type_ids": (present & (place >= length[:, None] // 2)).astype(np.int64)}
    masked = present & (random.random_sample(tokens.shape) < 0.15)
    masked[:, 1] = True
    tokens = np.where(present, tokens, 0)
    if flags["head"] == "classification":
        return {"input_ids": tokens, **feeds, "labels": (tokens[:, 1] % 2).astype(np.int64)}
    return {"input_ids": np.where(masked, MASK, tokens), **feeds, "labels": np.where(masked, tokens, NOT_COUNTED)}


def _clicks(random, size, flags, samples):
    """A click hangs on the dense features and on whether some indices are even; small rows are looked up more often."""
    dense = random.standard_normal((samples, 13)).astype(np.float32)
    rows = np.array(size["rows"])[None, :, None]
    share = random.random_sample((samples, 26, size["hot"]))
    sparse = np.minimum((share * share * rows).astype(np.int64), rows - 1)
    score = dense[:, :4].sum(axis=1) + (sparse[:, :5, 0] % 2 * 2 - 1).sum(axis=1)
    label = (score + 0.5 * random.standard_normal(samples) > 0).astype(np.float32)[:, None]
    return {"dense": dense, "sparse": sparse if size["hot"] > 1 else sparse[:, :, 0], "label": label}


MAKERS = {"resnet": _images, "bert": _masked, "gpt2": _causal, "dlrm": _clicks, "llama": _causal}


def make(family, size, flags, samples):
    """Arrays by the names of the graph's inputs; `size` is an entry of the family's SIZES."""
    return MAKERS[family](np.random.RandomState(SEED), size, flags, samples)


def write(path, family, size, flags, samples):
    np.savez(path, **make(family, size, flags, samples))
