#!/usr/bin/python3
"""Tests of what the benchmark of collectives makes of its samples; it times nothing."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run  # noqa: E402


def contestant(name, **options):
    return run.Contestant(name, pathlib.Path("/nowhere/program"), **options)


class Labels(unittest.TestCase):
    def setUp(self):
        patch = mock.patch("os.cpu_count", return_value=2)
        patch.start()
        self.addCleanup(patch.stop)

    def test_two_ranks_are_told_apart_by_their_distance(self):
        self.assertEqual(run.label(2, 30), "a shared cache")
        self.assertEqual(run.label(2, 200), "no shared cache")
        self.assertIn("one processor for both", run.label(2, 1300))

    def test_more_ranks_than_processors_share_them(self):
        self.assertEqual(run.label(4, 0), "more ranks than processors")


class Tables(unittest.TestCase):
    def test_ratios_compare_with_the_best_peer_of_each_kind(self):
        ours, slow, fast = contestant("Tutti"), contestant("MPICH"), contestant("OpenMPI")
        tuned = contestant("OpenMPI", tuned=True)
        medians = {"Tutti": {8: 2.0}, "MPICH": {8: 9.0}, "OpenMPI": {8: 5.0}, "OpenMPI, tuned": {8: 3.0}}
        rows = list(run.rows([ours, slow, fast, tuned], medians, [8]))
        self.assertEqual(rows, [["8 B", "2.00", "9.00", "5.00", "3.00", "2.50", "1.50"]])

    def test_what_was_not_measured_is_a_dash(self):
        rows = list(run.rows([contestant("Tutti"), contestant("Gloo")], {"Tutti": {}, "Gloo": {}}, [8]))
        self.assertEqual(rows, [["8 B", "–", "–", "–", "–"]])

    def test_tables_are_markdown(self):
        text = run.table([contestant("Tutti")], {"Tutti": {1 << 20: 1.0}}, [1 << 20])
        self.assertEqual(len({line.count("|") for line in text.splitlines()}), 1)
        self.assertIn("| 1 MiB | 1.00 |", text)

    def test_quantiles_are_samples(self):
        self.assertEqual(run.quantile([5, 1, 9], 0.5), 5)
        self.assertEqual(run.quantile([5, 1, 9], 0.0), 1)


class Absence(unittest.TestCase):
    def test_a_program_that_is_not_built_is_named(self):
        self.assertEqual(contestant("MPICH").absence(), "program is not built")

    def test_a_launcher_that_is_missing_is_named(self):
        here = run.Contestant("MPICH", pathlib.Path(__file__), launcher=("no-such-launcher",))
        self.assertEqual(here.absence(), "there is no no-such-launcher")

    def test_a_failing_contestant_ends_the_run_with_its_words(self):
        failing = run.Contestant("MPICH", pathlib.Path("/bin/false"))
        with self.assertRaisesRegex(SystemExit, "MPICH failed with 1"):
            failing.samples(2, "all_reduce", [8], 0.1)


class Environment(unittest.TestCase):
    def test_only_tuned_peers_keep_memory(self):
        self.assertIn("MALLOC_TRIM_THRESHOLD_", contestant("Gloo", tuned=True).environment())
        self.assertEqual(contestant("Gloo").environment(), dict(os.environ))


if __name__ == "__main__":
    unittest.main()
