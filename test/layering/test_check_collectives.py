#!/usr/bin/python3
"""Proves that check_collectives.py can fail."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import unittest

import check_collectives

NAMES = {"AllReduceOp", "GatherOp", "GroupOp"}
TABLE = {"passes/conversion/collective": "it converts them"}
ALLOWED = ("passes/conversion/collective/A.cpp", "collective::AllReduceOp op;\n")


class Collectives(unittest.TestCase):
    def found(self, text, name="passes/communication/A.cpp"):
        return check_collectives.check([ALLOWED, (name, text)], TABLE, NAMES)[0]

    def test_every_way_to_name_one_is_found(self):
        for text in ("isa<collective::AllReduceOp>(op)", "tutti::collective::GroupOp group;",
                     "using namespace tutti::collective;\nauto x = AllReduceOp::create(b, l);",
                     "using tutti::collective::GroupOp;", "auto g = collective::lookupGroup(op, name);", "using collective::GroupOp;\nGroupOp g;",
                     "namespace tutti::collective {\nvoid f(GatherOp op);\n}"):
            self.assertTrue(self.found(text), text)

    def test_other_dialects_and_comments_are_free(self):
        for text in ("isa<onnx::GatherOp>(op)", "using namespace tutti::collective;\nonnx::GatherOp op;",
                     "// collective::AllReduceOp", "GatherOp op;", "collective::BucketOpInterface op;",
                     "using namespace tutti::collective;\nOptimizerGatherOp op;"):
            self.assertEqual(self.found(text), [], text)

    def test_only_passes_and_lib_count(self):
        self.assertEqual(self.found("collective::AllReduceOp op;", "dialects/collective/A.cpp"), [])
        self.assertEqual(self.found("collective::AllReduceOp op;", "passes/conversion/collective/B.h"), [])

    def test_an_entry_must_be_needed(self):
        self.assertEqual(len(check_collectives.check([], TABLE, NAMES)[0]), 1)

    def test_lines_are_counted(self):
        counts = check_collectives.check([ALLOWED], TABLE, NAMES)[1]
        self.assertEqual(counts["passes/conversion"], 1)

    def test_the_dialect_is_found(self):
        repository = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        names = check_collectives.operations(repository)
        self.assertLessEqual({"AllReduceOp", "AsyncOp", "GroupOp", "SendOp", "RankOp"}, names)


if __name__ == "__main__":
    unittest.main()
