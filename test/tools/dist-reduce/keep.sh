#!/bin/sh
# Interesting, for dist-reduce, is a program that still sums.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
grep -q "collective.all_reduce" "$1" && exit 1
exit 0
