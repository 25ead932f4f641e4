#!/usr/bin/python3
"""Tests of the demo's table of losses."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "demo", "show_losses.py")
LINES = ['{"step": 0, "epoch": 0, "loss": 2.0}', '{"step": 1, "epoch": 0, "loss": 1.0}',
         '{"step": 2, "epoch": 1, "loss": 0.5}']


class ShowLosses(unittest.TestCase):
    def show(self, first, second):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.jsonl", "b.jsonl")]
            for path, lines in zip(paths, (first, second)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write("\n".join(lines) + "\n")
            return subprocess.run([sys.executable, TOOL, *paths], capture_output=True, text=True, check=False)

    def test_one_line_an_epoch_with_means_and_difference(self):
        run = self.show(LINES, LINES[:2] + ['{"step": 2, "epoch": 1, "loss": 0.25}'])
        self.assertEqual(run.returncode, 0, run.stderr)
        header, first, second = run.stdout.splitlines()
        self.assertEqual(first.split(), ["0", "1.500000", "1.500000", "0.0e+00", "=" * 36])
        self.assertEqual(second.split(), ["1", "0.500000", "0.250000", "2.5e-01", "=" * 6 + "-" * 6])

    def test_an_epoch_that_one_run_lacks_is_left_out(self):
        self.assertEqual(len(self.show(LINES, LINES[:2]).stdout.splitlines()), 2)

    def test_a_line_that_is_no_metric(self):
        for line in ("nonsense", '{"step": 1}', "[]"):
            run = self.show(LINES, [LINES[0], line])
            self.assertEqual(run.returncode, 2)
            self.assertIn("b.jsonl:2:", run.stderr)


if __name__ == "__main__":
    unittest.main()
