#!/usr/bin/python3
"""Shows the losses of two runs side by side: one line an epoch, the mean loss of each run and a bar of both.

    show_losses.py FIRST.jsonl SECOND.jsonl      files that dist-run --metrics wrote
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import sys

BAR_WIDTH = 36


def epoch_means(path):
    """{epoch: mean loss of its steps}; ValueError names the line that can't be read."""
    sums = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                entry = json.loads(line)
                total, count = sums.get(entry["epoch"], (0.0, 0))
                sums[entry["epoch"]] = (total + entry["loss"], count + 1)
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{path}:{number}: not a line of --metrics: {error!r}") from error
    return {epoch: total / count for epoch, (total, count) in sums.items()}


def bar(first, second, largest):
    """`=` as far as both reach, `-` where only one does."""
    a, b = (round(BAR_WIDTH * value / largest) if largest else 0 for value in (first, second))
    return "=" * min(a, b) + "-" * abs(a - b)


def table(first, second):
    """The lines of the table; an epoch that one run lacks is left out."""
    epochs = sorted(set(first) & set(second))
    largest = max((max(first[e], second[e]) for e in epochs), default=0.0)
    yield "epoch   first run   second run   difference"
    for epoch in epochs:
        a, b = first[epoch], second[epoch]
        yield f"{epoch:5}  {a:10.6f}   {b:10.6f}     {abs(a - b):8.1e}   {bar(a, b, largest)}"


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        first, second = (epoch_means(path) for path in sys.argv[1:])
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join(table(first, second)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
