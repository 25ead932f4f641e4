#!/usr/bin/python3
"""Proves that check_clocks.py can fail."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import unittest

import check_clocks

TABLE = {"runtime/host/summaries": "dates of events"}
DATES = ("runtime/host/summaries/EventFile.cpp", "std::chrono::system_clock::now();\n")


class Clocks(unittest.TestCase):
    def found(self, text, name="runtime/host/worker/A.cpp"):
        return check_clocks.check([DATES, (name, text)], TABLE)

    def test_every_way_to_ask_is_found(self):
        for text in ("auto end = std::chrono::system_clock::now() + limit;", "std::chrono::high_resolution_clock::now()",
                     "clock_gettime(CLOCK_REALTIME, &now);", "gpr_now(GPR_CLOCK_REALTIME)", "gettimeofday(&now, nullptr);",
                     "time_t now = time(nullptr);", "std::time(NULL)", "time(&now)", "sem_timedwait(&wake, &end)", "absl::Now()",
                     "stub.async()->Load(&context, &request, &reply, done);"):
            self.assertEqual(len(self.found(text)), 1, text)

    def test_other_clocks_are_free(self):
        for text in ("std::chrono::steady_clock::now()", "clock_gettime(CLOCK_MONOTONIC, &now);", "CallLimit limit(watch, context, seconds);",
                     "// not system_clock", "double time(int step);", "step.time()", "runtime(nullptr)"):
            self.assertEqual(self.found(text), [], text)

    def test_only_our_rooms_count(self):
        self.assertEqual(self.found("gettimeofday(&now, 0);", "test/runtime/A.cpp"), [])
        self.assertEqual(self.found("gettimeofday(&now, 0);", "runtime/host/summaries/B.cpp"), [])

    def test_an_entry_must_be_needed(self):
        self.assertEqual(len(check_clocks.check([], TABLE)), 1)


if __name__ == "__main__":
    unittest.main()
