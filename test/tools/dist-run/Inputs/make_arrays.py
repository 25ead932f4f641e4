"""make_arrays.py DIGITS.npz PREFIX: writes the digits under other names, in other types and orders, and beside other arrays.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import numpy

source, prefix = sys.argv[1:]
digits = numpy.load(source)
images, labels = digits["input"], digits["label"]


def write(name, **arrays):
    numpy.savez(f"{prefix}.{name}.npz", **arrays)


write("renamed", pixels=images, digit=labels)
write("types", input=images.astype(numpy.float64), label=labels.astype(numpy.uint8))
write("fortran", input=numpy.asfortranarray(images), label=labels)
write("others", input=images, label=labels, date=numpy.array(["today"]), short=numpy.zeros(3), pair=numpy.zeros(4, "f4,i8"),
      objects=numpy.array([{}, []], dtype=object))
write("rounded", input=images.astype(numpy.float64) + 0.1, label=labels)
