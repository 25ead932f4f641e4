"""change_array.py IN.npz OUT.npz NAME EXPRESSION: writes IN with one array replaced by the value of a Python expression of `array`
and `numpy`.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

import numpy

source, target, name, expression = sys.argv[1:]
arrays = dict(numpy.load(source))
arrays[name] = eval(expression, {"numpy": numpy, "array": arrays[name], **arrays})
numpy.savez(target, **arrays)
