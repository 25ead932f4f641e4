"""Makes one sample of a data set so large that its gradient overflows f32.

    overflowing_digits.py IN.npz OUT.npz --batch SAMPLES --step N [--factor F]

Steps count from 1, samples in file order. What is normalized before it is used needs a factor of "inf".
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse

import numpy as np


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("destination")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--step", type=int, required=True)
    parser.add_argument("--factor", type=np.float32, default=np.float32(1e36))
    arguments = parser.parse_args()
    with np.load(arguments.source) as data:
        arrays = {name: data[name].copy() for name in data.files}
    sample = (arguments.step - 1) * arguments.batch + arguments.batch // 2 + 1
    arrays["input"][sample] *= arguments.factor
    arrays["label"][sample] = (arrays["label"][sample] + 1) % 10  # a sample that is classified right has no gradient
    np.savez(arguments.destination, **arrays)


if __name__ == "__main__":
    main()
