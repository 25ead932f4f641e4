#!/usr/bin/python3
"""Tests of check_manifest.py: each of the three sides is missed if it has a field more or less."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import unittest

from check_manifest import check

HEADER = '''/* The manifest, a JSON object.
   "name", "type": of a table, or "servers"
   "step"?: its "arena" */'''
WRITER = '''return json::Object{{"name", name}, {"type", spell(type)}};
  (*described)["step"] = true;
  for (StringRef name : {"arena", "type"})'''
READER = 'string_of(entry, "name"); if (entry.contains("step")) root["arena"];'


class Manifest(unittest.TestCase):
    def test_what_agrees_is_left_alone(self):
        self.assertEqual(check(HEADER, [WRITER], READER), [])

    def test_what_is_written_must_be_described(self):
        self.assertEqual(check(HEADER, [WRITER + '\nmanifest["axis"] = 1;'], READER),
                         ["'axis' is written, and include/tutti/program.h does not describe it"])

    def test_what_is_described_must_be_written(self):
        self.assertEqual(check(HEADER.replace('"type"', '"type", "tables"'), [WRITER], READER),
                         ["'tables' is described, and nothing writes it"])

    def test_what_is_read_must_be_written(self):
        for more in ('integer_of(entry, "size", 1)', 'word_of<Table::Wire>(entry, "size", {"a"})'):
            self.assertEqual(check(HEADER, [WRITER], READER + more), ["'size' is read, and nothing writes it"])


if __name__ == "__main__":
    unittest.main()
