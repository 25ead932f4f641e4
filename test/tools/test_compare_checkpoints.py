#!/usr/bin/python3
"""Tests of tools/checkpoints: what is read equals what was written, and each kind of difference is told."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

TOOL_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "checkpoints")
sys.path.insert(0, TOOL_FOLDER)
from checkpoint_file import read_checkpoint, write_checkpoint  # noqa: E402

WEIGHT = np.arange(6, dtype=np.float32).reshape(2, 3)


class Checkpoints(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.paths = [os.path.join(folder.name, name) for name in ("a.safetensors", "b.safetensors")]

    def compare(self, first, second, *options):
        for path, arrays in zip(self.paths, (first, second)):
            write_checkpoint(path, arrays)
        return self.run_tool(*options)

    def run_tool(self, *options):
        return subprocess.run([sys.executable, os.path.join(TOOL_FOLDER, "compare_checkpoints.py"), *self.paths,
                               *options], capture_output=True, text=True, check=False)

    def test_every_type_comes_back(self):
        arrays = {"f32": WEIGHT, "i64": np.array(7), "f64": np.zeros((0, 3)), "b": np.array([True, False]),
                  "f16": np.ones(3, np.float16)}
        write_checkpoint(self.paths[0], arrays)
        for name, array in read_checkpoint(self.paths[0]).items():
            np.testing.assert_array_equal(array, arrays[name])
            self.assertEqual(array.dtype, arrays[name].dtype)

    def test_equal_files(self):
        run = self.compare({"w": WEIGHT}, {"w": WEIGHT.copy()}, "--limit", "0")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("largest relative difference: 0.00e+00 (w, of 1 variables)", run.stdout)

    def test_a_difference_and_its_limit(self):
        moved = {"w": WEIGHT * np.float32(1.001), "same": WEIGHT}
        start = {"w": WEIGHT, "same": WEIGHT}
        self.assertEqual(self.compare(start, moved, "--limit", "1e-2").returncode, 0)
        run = self.compare(start, moved, "--limit", "1e-4")
        self.assertEqual(run.returncode, 1)
        self.assertIn("1.00e-03 (w,", run.stdout)

    def test_one_bit_breaks_a_limit_of_zero(self):
        self.assertEqual(self.compare({"w": WEIGHT}, {"w": np.nextafter(WEIGHT, 9)}, "--limit", "0").returncode, 1)

    def test_a_nan_passes_no_limit(self):
        broken = WEIGHT.copy()
        broken[0, 0] = np.nan
        self.assertEqual(self.compare({"w": WEIGHT}, {"w": broken}, "--limit", "1e9").returncode, 1)

    def test_missing_variables_types_and_shapes(self):
        for other, message in (({"v": WEIGHT}, "only in one"), ({"w": WEIGHT.T.copy()}, "[3, 2]"),
                               ({"w": WEIGHT.astype(np.float64)}, "float64"), ({}, "no variable in common")):
            run = self.compare({"w": WEIGHT}, other)
            self.assertEqual(run.returncode, 1)
            self.assertIn(message, run.stderr)

    def test_a_file_that_is_no_checkpoint(self):
        self.compare({"w": WEIGHT}, {"w": WEIGHT})
        for content in (b"", b"hello", b"\x02\0\0\0\0\0\0\0[]", b"\xff" * 20):
            with open(self.paths[1], "wb") as file:
                file.write(content)
            run = self.run_tool()
            self.assertEqual(run.returncode, 2)
            self.assertIn("b.safetensors", run.stderr)


if __name__ == "__main__":
    unittest.main()
