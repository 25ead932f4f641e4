"""The digits data set: reads scikit-learn's copy, splits it once and writes the two .npz files of test/data."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os

import numpy as np

TEST_SAMPLES = 360
SPLIT_SEED = 20240607


def load_digits_split():
    """Returns ((images, labels) of training, (images, labels) of test).

    images: f32 [n, 1, 8, 8], pixel counts 0..16 scaled to [0, 1]; labels: i64 [n].
    The split shuffles all 1,797 samples with SPLIT_SEED; the first 360 are the test set.
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = (digits.images.astype(np.float32) / 16.0).reshape(-1, 1, 8, 8)
    labels = digits.target.astype(np.int64)
    order = np.random.RandomState(SPLIT_SEED).permutation(len(labels))
    test, train = order[:TEST_SAMPLES], order[TEST_SAMPLES:]
    return (images[train], labels[train]), (images[test], labels[test])


def write_digits(folder):
    """Writes digits_train.npz and digits_test.npz (members stored, not deflated: they can be mapped)."""
    train, test = load_digits_split()
    for name, (images, labels) in (("digits_train", train), ("digits_test", test)):
        np.savez(os.path.join(folder, name + ".npz"), input=images, label=labels)
