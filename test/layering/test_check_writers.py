#!/usr/bin/python3
"""Proves that check_writers.py can fail."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import unittest

import check_writers

TABLE = {"runtime/output": "it is the writer"}
WRITER = ("runtime/output/OutputFile.cpp", "open(path, O_WRONLY);\n")


class Writers(unittest.TestCase):
    def found(self, text, name="runtime/host/worker/A.cpp"):
        return check_writers.check([WRITER, (name, text)], TABLE)

    def test_every_way_to_write_is_found(self):
        for text in ("std::ofstream file(path);", 'std::fopen(path, "w");', 'fopen(path.c_str(), "we")', "int f = open(p, O_WRONLY);",
                     "open(p, O_RDWR | O_CREAT)", "llvm::raw_fd_ostream out(path, code);", "mkstemp(name);", "std::rename(a, b);",
                     "fs::rename(a, b)", "std::fstream both;", "sys::fs::TempFile::create(p)", 'fopen(path, mode)'):
            self.assertEqual(len(self.found(text)), 1, text)

    def test_reading_is_free(self):
        for text in ("std::ifstream file(path);", 'std::fopen(path, "r");', 'fopen(path.c_str(), "re")', "open(p, O_RDONLY)",
                     "#include <fstream>", "// rename(a, b) would", "renamed(a);"):
            self.assertEqual(self.found(text), [], text)

    def test_only_our_rooms_count(self):
        self.assertEqual(self.found("std::ofstream f;", "test/runtime/A.cpp"), [])
        self.assertEqual(self.found("std::ofstream f;", "runtime/output/B.cpp"), [])

    def test_an_entry_must_be_needed(self):
        self.assertEqual(len(check_writers.check([], TABLE)), 1)


if __name__ == "__main__":
    unittest.main()
