"""A synthetic data set of clicks: who looked at a basket of items, and whether the hidden tastes of both agree."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os

import numpy as np

USERS, ITEMS, BASKET = 1000, 1000, 3
SEED = 20260101


def draw_clicks(samples, tastes, random):
    """(user, items, label): few users and items are common, most are rare, so that batches repeat some and miss most."""
    user = (USERS * random.uniform(size=samples) ** 3).astype(np.int64)
    items = (ITEMS * random.uniform(size=(samples, BASKET)) ** 2).astype(np.int64)
    agreement = (tastes[0][user] * tastes[1][items].mean(axis=1)).sum(axis=1)
    return user, items, (agreement > 0).astype(np.int64)


def write_clicks(folder):
    """Writes clicks_train.npz (1,024 samples) and clicks_test.npz (256), members stored."""
    random = np.random.RandomState(SEED)
    tastes = random.standard_normal((USERS, 4)), random.standard_normal((ITEMS, 4))
    for name, samples in (("clicks_train", 1024), ("clicks_test", 256)):
        user, items, label = draw_clicks(samples, tastes, random)
        np.savez(os.path.join(folder, name + ".npz"), user=user, items=items, label=label)
