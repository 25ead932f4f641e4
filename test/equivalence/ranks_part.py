"""Writes the samples that one rank takes of each global batch of a data set, in file order.

    ranks_part.py IN.npz OUT.npz --rank R --ranks N
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse

import numpy as np


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("destination")
    parser.add_argument("--rank", type=int, required=True)
    parser.add_argument("--ranks", type=int, required=True)
    arguments = parser.parse_args()
    with np.load(arguments.source) as data:
        np.savez(arguments.destination, **{name: data[name][arguments.rank :: arguments.ranks] for name in data.files})


if __name__ == "__main__":
    main()
