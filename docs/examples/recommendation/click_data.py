#!/usr/bin/env python3
"""Clicks with a known truth: a training and a test set of categorical and dense features, from a seed.

    click_data.py FOLDER [--table NAME=ROWS[xHOT]]... [--train N] [--test N] [--seed S]

writes train.npz, test.npz and features.json, which says what there is, and prints what can be reached.

Of each table a sample has HOT ids, drawn by popularity: the id of rank r is drawn about as often as 1 / r^skew says, and which ids
are popular is scattered over the table. Each id has a hidden vector of tastes, a bias, and what its popularity adds; they follow from
(seed, table, id) alone, so that a table of ten million rows takes no memory here. The logit of a sample is

    offset + strength * (biases + popularity + dense features + products of the tastes of all pairs of tables)

and its label is 1 with the probability that the logit says. No model can rank better, but by luck, than these probabilities: their
AUC is the optimum. The test set has them as `probability`.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import itertools
import json
import pathlib
import re
import sys

import numpy as np

TABLES = ("user=1000", "item=500", "tags=100x3", "category=20", "device=4")
TASTES = 4                                                              # numbers in the hidden vector of an id
SHARES = {"tastes": 0.60, "bias": 0.20, "popularity": 0.10, "dense": 0.10}  # of the variance of the logit


class Table:
    """A categorical feature: ROWS ids, of which a sample has HOT."""

    def __init__(self, text, number):
        form = re.fullmatch(r"([A-Za-z_]\w*)=(\d+)(?:x(\d+))?", text)
        if not form or int(form[2]) < 2 or form[3] == "0":
            sys.exit(f"click_data.py: --table {text}: say NAME=ROWS or NAME=ROWSxHOT, with at least two rows, as in tags=200x3")
        self.name, self.rows, self.hot, self.number = form[1], int(form[2]), int(form[3] or 1), number

    def scatter(self, rank):
        """The id of a rank: a step around the table that meets each row once."""
        step = int(self.rows * 0.618) | 1
        while np.gcd(step, self.rows) != 1:
            step += 2
        return (rank * step + self.number) % self.rows


def hashed(seed, table, rank, column):
    """Numbers of mean 0 and variance 1 that follow from their arguments alone (splitmix64)."""
    with np.errstate(over="ignore"):
        key = np.uint64((seed * 1000003 + table.number * 8191 + column + 1) % 2**63)
        x = rank.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + key * np.uint64(0xD1B54A32D192ED03)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
        x ^= x >> np.uint64(31)
    return (x.astype(np.float64) / 2.0**64 - 0.5) * np.sqrt(12)


def draw_ranks(random, table, samples, skew):
    """Ranks of popularity, 0 the most popular: the inverse of the distribution function of 1 / r^skew."""
    u = random.random_sample((samples, table.hot))
    if abs(skew - 1) < 1e-6:
        rank = (table.rows + 1.0) ** u
    else:
        rank = (u * ((table.rows + 1.0) ** (1 - skew) - 1) + 1) ** (1 / (1 - skew))
    return np.clip(rank.astype(np.int64) - 1, 0, table.rows - 1)


def of_samples(values):
    """What the ids of a sample add together: their mean, with the variance of one."""
    return values.mean(axis=1) * np.sqrt(values.shape[1])


def draw(options, tables, samples, random):
    """(arrays of the data set, true probability of each sample)"""
    ranks = {table.name: draw_ranks(random, table, samples, options.skew) for table in tables}
    dense = random.standard_normal((samples, options.dense)).astype(np.float32)
    parts = {name: np.zeros(samples) for name in SHARES}
    tastes = []
    for table in tables:
        rank = ranks[table.name]
        parts["bias"] += of_samples(hashed(options.seed, table, rank, TASTES))
        spread = 0.5 - np.log(rank + 1.0) / np.log(table.rows + 1.0)
        parts["popularity"] += of_samples(spread * np.sqrt(12))
        tastes.append([of_samples(hashed(options.seed, table, rank, column)) for column in range(TASTES)])
    for first, second in itertools.combinations(tastes, 2):
        parts["tastes"] += sum(a * b for a, b in zip(first, second))
    slopes = np.random.RandomState(options.seed).standard_normal(options.dense)
    parts["dense"] += dense @ (slopes / max(np.linalg.norm(slopes), 1e-9))
    pairs = max(len(tables) * (len(tables) - 1) // 2, 1)
    variances = {"tastes": TASTES * pairs, "bias": len(tables), "popularity": len(tables), "dense": 1}
    logit = sum(np.sqrt(SHARES[name] / variances[name]) * part for name, part in parts.items())
    probability = 1 / (1 + np.exp(-(options.offset + options.strength * logit)))
    arrays = {table.name: table.scatter(ranks[table.name])[:, 0 if table.hot == 1 else slice(None)] for table in tables}
    arrays["dense"] = dense
    arrays["label"] = (random.random_sample(samples) < probability).astype(np.float32)[:, None]
    return arrays, probability


def area_under_curve(score, label):
    """The share of pairs of a positive and a negative sample that the scores order right; equal scores count half."""
    values, place = np.unique(score, return_inverse=True)
    positive = np.bincount(place, label, len(values))
    negative = np.bincount(place, 1 - label, len(values))
    below = np.cumsum(negative) - negative
    return (positive * (below + negative / 2)).sum() / (positive.sum() * negative.sum())


def log_loss(probability, label):
    return -(label * np.log(probability) + (1 - label) * np.log(1 - probability)).mean()


def count_ids(table, arrays, weights=None):
    """How often each id occurs, by itself or weighed by sample; only those that occur take memory."""
    ids = arrays[table.name].reshape(len(arrays["label"]), -1)
    weights = np.ones(len(ids)) if weights is None else weights
    values, place = np.unique(ids, return_inverse=True)
    return values, np.bincount(place.ravel(), np.repeat(weights, ids.shape[1]), len(values))


def look_up(table, arrays, values, numbers, unknown):
    """The mean over the ids of each sample of what `numbers` has for them."""
    ids = arrays[table.name].reshape(len(arrays["label"]), -1)
    place = np.minimum(np.searchsorted(values, ids), len(values) - 1)
    return np.where(values[place] == ids, numbers[place], unknown).mean(axis=1)


def popularity_score(tables, train, test):
    """The baseline that knows only how often ids occur in the training set."""
    counted = [(table, *count_ids(table, train)) for table in tables]
    return sum(look_up(table, test, values, np.log1p(counts), 0.0) for table, values, counts in counted)


def rates_score(tables, train, test):
    """The baseline that knows how often each id was clicked, and nothing of pairs: the sum of smoothed log odds."""
    label, score = train["label"][:, 0].astype(np.float64), 0
    rate = label.mean()
    for table in tables:
        values, counts = count_ids(table, train)
        clicks = (count_ids(table, train, label)[1] + 10 * rate) / (counts + 10)
        score = score + look_up(table, test, values, np.log(clicks / (1 - clicks)), np.log(rate / (1 - rate)))
    return score


def write(options):
    tables = [Table(text, number) for number, text in enumerate(options.table or TABLES)]
    names = [table.name for table in tables]
    if len(set(names)) != len(names) or {"dense", "label", "probability"} & set(names):
        sys.exit(f"click_data.py: --table: each table needs a name of its own, and not dense, label or probability: {names}")
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(options.seed)
    train, _ = draw(options, tables, options.train, random)
    test, probability = draw(options, tables, options.test, random)
    np.savez(folder / "train.npz", **train)
    np.savez(folder / "test.npz", probability=probability, **test)
    features = {"tables": [{"name": t.name, "rows": t.rows, "hot": t.hot} for t in tables], "dense": options.dense}
    (folder / "features.json").write_text(json.dumps(features, indent=1) + "\n")
    report(tables, train, test, probability)


def report(tables, train, test, probability):
    label = test["label"][:, 0].astype(np.float64)
    seen = {t.name: len(np.unique(train[t.name])) for t in tables}
    print(f"train.npz: {len(train['label'])} samples, of them {100 * train['label'].mean():.1f} % clicked; ids that occur: "
          + ", ".join(f"{t.name} {seen[t.name]} of {t.rows}" for t in tables))
    print(f"test.npz: {len(label)} samples, of them {100 * label.mean():.1f} % clicked")
    if label.min() == label.max():
        print("no AUC: all samples of test.npz have one label")
        return
    print(f"optimum: AUC {area_under_curve(probability, label):.4f}, log loss {log_loss(probability, label):.4f}")
    print(f"baseline, click rates of ids: AUC {area_under_curve(rates_score(tables, train, test), label):.4f}")
    print(f"baseline, popularity of ids: AUC {area_under_curve(popularity_score(tables, train, test), label):.4f}")


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("--table", action="append", metavar="NAME=ROWS[xHOT]", help=f"instead of {' '.join(TABLES)}")
    parser.add_argument("--train", type=positive, default=100000, metavar="N", help="samples of train.npz")
    parser.add_argument("--test", type=positive, default=10000, metavar="N", help="samples of test.npz")
    parser.add_argument("--dense", type=positive, default=4, metavar="N", help="dense features")
    parser.add_argument("--skew", type=float, default=1.0, help="exponent of the popularity; 0: all ids alike")
    parser.add_argument("--strength", type=float, default=2.5, help="how much the features say: deviation of the logit")
    parser.add_argument("--offset", type=float, default=-1.0, help="the mean logit")
    parser.add_argument("--seed", type=int, default=1)
    write(parser.parse_args())


if __name__ == "__main__":
    main()
