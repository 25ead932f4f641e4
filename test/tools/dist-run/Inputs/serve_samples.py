"""serve_samples.py tokens.npz HOW: hands out what an .npz holds, in one of several ways, right and wrong.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "tools/python"))

import numpy

import tutti

arrays = dict(numpy.load(sys.argv[1]))
how = sys.argv[2]
count = len(arrays["tokens"])
with open(sys.argv[1] + ".starts", "a") as starts:
    starts.write(".")


class Drawn:
    """Samples with a part that is drawn anew in every epoch."""

    def __len__(self):
        return count

    def __getitem__(self, number):
        tokens = arrays["tokens"][number].copy()
        tokens[random.randrange(len(tokens))] = 0
        return {"tokens": tokens, "targets": arrays["targets"][number]}


def in_order(epoch):
    print("begins epoch", epoch)
    return ((arrays["tokens"][i], arrays["targets"][i]) for i in range(count))


def wrong(epoch):
    for i in range(count):
        if how == "dies" and i == 20:
            print("out of luck", file=sys.stderr)
            sys.stderr.flush()
            os._exit(3)
        if how == "hangs" and i == 20:
            time.sleep(1000)
        if how == "raises" and i == 20:
            raise KeyError("no such picture")
        if how == "ends" and i == 20:
            return
        tokens = arrays["tokens"][i]
        yield {"tokens": tokens[:4] if how == "short" and i == 20 else tokens + 90 if how == "large" and i == 20 else tokens,
               "targets": arrays["targets"][i]}


if how == "arrays":
    tutti.serve(arrays)
elif how == "drawn":
    tutti.serve(Drawn())
elif how == "in-order":
    tutti.serve(in_order, names=["tokens", "targets"], samples=count)
elif how == "one-pass":
    tutti.serve(iter([(arrays["tokens"][0], arrays["targets"][0])]), names=["tokens", "targets"], samples=count)
elif how == "endless":
    tutti.serve(in_order)
else:
    tutti.serve(wrong, samples=count, deadline=1)
