#!/usr/bin/python3
"""Tests of the driver that feeds hostile files to a tool: it tells a clean refusal from every other way to end."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys
import tempfile
import unittest

HOSTILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "hostile")
sys.path.insert(0, HOSTILE)
import make_hostile  # noqa: E402
import refuse_hostile  # noqa: E402


class Complaints(unittest.TestCase):
    def complaint(self, script):
        return refuse_hostile.complaint(["/bin/sh", "-c", script, "FILE"], "/nowhere")

    def test_a_clean_refusal(self):
        self.assertEqual(self.complaint("echo 'tool: error: no' >&2; exit 1"), ("", "tool: error: no"))

    def test_everything_else(self):
        for script, message in (
                ("exit 0", "accepted"),
                ("exit 1", "without an `error:` line"),
                ("kill -SEGV $$", "status -11"),
                ("echo 'error: x' >&2; exit 134", "status 134"),
                ("echo '==1==ERROR: AddressSanitizer: error: x' >&2; exit 1", "crashed (Sanitizer)"),
                ("echo '****************'; echo 'error: x' >&2; exit 1", "read the secret")):
            self.assertIn(message, self.complaint(script)[0], script)

    def test_the_file_takes_its_place_in_the_command(self):
        wrong, error = refuse_hostile.complaint(["/bin/sh", "-c", 'echo "error: $0" >&2; exit 1', "FILE"], "/the/file")
        self.assertEqual((wrong, error), ("", "error: /the/file"))


class Files(unittest.TestCase):
    def test_each_kind_is_there_and_says_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            reasons = make_hostile.make_all(os.path.join(folder, "files"))
            self.assertTrue(os.path.exists(os.path.join(folder, "secret.bin")))
            for suffix in (".onnx", ".npy", ".npz", ".safetensors"):
                self.assertGreater(sum(name.endswith(suffix) for name in reasons), 10)
            self.assertTrue(all(reasons.values()))
            self.assertTrue(all(os.path.exists(os.path.join(folder, "files", name)) for name in reasons))
            self.assertLess(sum(entry.stat().st_size for entry in os.scandir(os.path.join(folder, "files"))), 1 << 20)


if __name__ == "__main__":
    unittest.main()
