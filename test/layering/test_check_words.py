#!/usr/bin/python3
"""Proves that check_words.py can fail."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import unittest

import check_words


class Words(unittest.TestCase):
    def found(self, text, name="runtime/A.cpp"):
        return len(check_words.check([(name, text)], {"clerk": "handler"}))

    def test_a_word_is_found_wherever_it_stands(self):
        for text in ("// A clerk answers.", "class Clerk {", "RowClerk clerks;", "int row_clerk;", "CLERKS_H", '"the clerk is late"'):
            self.assertEqual(self.found(text), 1, text)

    def test_other_words_are_free(self):
        for text in ("clerkship", "declerk", "handler"):
            self.assertEqual(self.found(text), 0, text)

    def test_files_that_speak_of_words_are_free(self):
        self.assertEqual(self.found("clerk", "CONTRIBUTING.md"), 0)
        self.assertEqual(self.found("clerk", "docs/a.md"), 1)

    def test_marks_of_a_merge_are_found(self):
        for mark in ("<" * 7 + " HEAD", "=" * 7, ">" * 7 + " 1234"):
            self.assertEqual(len(check_words.check_merges([("docs/a.md", "text\n" + mark + "\n")])), 1, mark)
        self.assertEqual(check_words.check_merges([("docs/a.md", "a <<<<<<< b\n========\n")]), [])

    def test_the_table_has_what_to_say_instead(self):
        words = check_words.read_table(check_words.TABLE)
        self.assertTrue(words)
        self.assertTrue(all(words.values()))


if __name__ == "__main__":
    unittest.main()
