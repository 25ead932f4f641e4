"""make_tables.py digits_train.npz FOLDER: digits as files of values, and as an .npz with the same numbers.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import csv
import pathlib
import sys

import numpy

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine, \"the last\""]


def write(path, pixels, words, **how):
    with open(path, "w", newline="") as file:
        rows = csv.writer(file, **how)
        rows.writerow(["digit", *(f"pixel {i}" for i in range(64))])
        rows.writerows([word, *map(str, row)] for word, row in zip(words, pixels))


def main():
    digits, folder = numpy.load(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    pixels, label = digits["input"][:200].reshape(-1, 64), digits["label"][:200]
    words = [WORDS[i] for i in label]
    numbers = numpy.array([sorted(WORDS).index(word) for word in words])
    numpy.savez(folder / "train.npz", input=digits["input"][:200], label=numbers)
    write(folder / "train.csv", pixels, words)
    write(folder / "train.tsv", pixels, words, delimiter="\t", lineterminator="\n")
    # Of the ten digits three: their numbers are those of all.
    few = numpy.isin(label, [2, 5, 9])
    numpy.savez(folder / "few.npz", input=digits["input"][:200][few], label=numbers[few])
    write(folder / "few.csv", pixels[few], [word for word, chosen in zip(words, few) if chosen])
    write(folder / "strange.csv", pixels, words[:150] + ["ten"] + words[151:])


if __name__ == "__main__":
    main()
