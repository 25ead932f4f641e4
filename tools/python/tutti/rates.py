"""`tutti.find_learning_rate`: a short run in which the rate rises, and the rate at which its loss falls fastest."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import math
import os
import tempfile

from .errors import Error
from .runner import train

REACH = 3       # steps before and after one, over which its loss is a mean
LEAST_FALL = 0.05  # of the first loss: less is noise of the batches
DIVERGED = 4.0  # times the least loss: nothing is learnt of what comes after it


class Rates:
    """What was found.

    suggested  the rate around which the smoothed loss falls most, over the logarithm of the rate
    rates      those that were tried, up to where training diverged; losses, the smoothed loss at each"""

    def __init__(self, suggested, rates, losses):
        self.suggested, self.rates, self.losses = suggested, rates, losses

    def __repr__(self):
        return f"Rates: {self.suggested:.3g} of {self.rates[0]:.3g} to {self.rates[-1]:.3g}"


def rising(low, high, steps):
    """`steps` rates from `low` to `high`, each the same times the one before."""
    return [low * (high / low) ** (step / (steps - 1)) for step in range(steps)]


def smoothed(losses):
    """The mean of each loss and its neighbours, up to where training diverged."""
    count, least = 0, math.inf
    while count < len(losses) and math.isfinite(losses[count]) and losses[count] <= DIVERGED * least:
        least = min(least, abs(losses[count]))
        count += 1
    parts = [losses[max(0, i - REACH):min(count, i + REACH + 1)] for i in range(count)]
    return [sum(part) / len(part) for part in parts]


def steepest(rates, losses, reach=REACH):
    """The rate around which the loss falls most, from `reach` steps before to as many after it; None if it falls nowhere by more than noise."""
    falls = [losses[i - reach] - losses[i + reach] for i in range(reach, len(losses) - reach)]
    if not falls or max(falls) <= LEAST_FALL * abs(losses[0]):
        return None
    return rates[reach + falls.index(max(falls))]


def find_learning_rate(model, dataset, *, low=1e-6, high=1.0, steps=100, **arguments):
    """Trains `steps` steps in which the learning rate rises from `low` to `high`, and returns Rates: the range test of L. N. Smith,
    "Cyclical Learning Rates for Training Neural Networks" (2015). What is trained is thrown away.

    model, dataset and further arguments are those of `train`; optimizer and batch should be those of the run that the rate is for.
    Error: the loss never falls, or diverges at once, so that there is nothing to suggest. A model that brings its own training has its
    own rates, and is refused by dist-run."""
    if not 0 < low < high or steps < 10:
        raise Error(f"the rate rises from {low} to {high} in {steps} steps: expected 0 < low < high, and 10 steps or more")
    rates = rising(low, high, steps)
    with tempfile.TemporaryDirectory(prefix="tutti-") as folder:
        table = os.path.join(folder, "rates.txt")
        with open(table, "w", encoding="utf-8") as file:
            file.write("".join(f"{step} {rate!r}\n" for step, rate in enumerate(rates)))
        arguments = {**arguments, "steps": steps, "learning_rate": 1, "schedule": f"file:{table}", "on_non_finite": "ignore"}
        result = train(model, dataset, save=os.path.join(folder, "thrown_away.safetensors"), **arguments)
    losses = smoothed(result.losses)
    suggested = steepest(rates, losses)
    if suggested is None:
        raise Error(f"the loss does not fall at any rate from {low} to {high}: it is {losses[0]:.4g} at first and {losses[-1]:.4g} at "
                    f"{rates[len(losses) - 1]:.3g}" if losses else "the loss is no number from the first step on")
    return Rates(suggested, rates[:len(losses)], losses)
