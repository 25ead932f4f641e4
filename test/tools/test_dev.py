#!/usr/bin/python3
"""Tests of the ./dev command line that need no build: help, refusals, and that setup is silent where nothing is missing."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import re
import subprocess
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DEV = os.path.join(ROOT, "dev")


def dev(*arguments):
    return subprocess.run([DEV, *arguments], capture_output=True, text=True, check=False)


class Dev(unittest.TestCase):
    def test_help_names_every_command(self):
        run = dev("help")
        self.assertEqual(run.returncode, 0)
        for command in ("setup", "build", "demo", "test", "format", "docs", "new", "lint", "fuzz", "package", "--preset"):
            self.assertIn(command, run.stdout)
        self.assertEqual(run.stdout, dev().stdout)

    def test_presets_are_those_of_cmake(self):
        with open(os.path.join(ROOT, "CMakePresets.json"), encoding="utf-8") as file:
            presets = [preset["name"] for preset in json.load(file)["configurePresets"] if not preset.get("hidden")]
        refusal = dev("build", "--preset", "fast").stderr
        for preset in presets:
            self.assertIn(preset, dev("help").stdout)
            self.assertIn(preset, refusal)
            self.assertNotIn("no preset", dev("no-command", "--preset", preset).stderr)

    def test_unknown_words_are_refused(self):
        for words, message in ((["dance"], "no command 'dance'"), (["build", "--preset", "fast"], "no preset 'fast'"),
                               (["benchmark", "chess"], "no benchmark 'chess'"),
                               (["setup", "--all"], "no option '--all'"), (["fuzz", "soon"], "takes a number of minutes"),
                               (["new", "strategy", "local-sgd"], "is no name LikeThis"), (["format", "--soft"], "no option '--soft'")):
            run = dev(*words)
            self.assertEqual(run.returncode, 1, words)
            self.assertIn(message, run.stderr)

    def test_setup_does_nothing_twice(self):
        run = dev("setup")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def test_it_works_from_any_folder(self):
        run = subprocess.run([DEV, "help"], cwd="/", capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0)

    def test_no_registry_is_named_in_it(self):
        with open(DEV, encoding="utf-8") as file:
            self.assertEqual(re.findall(r"https?://\S+", file.read()), [])


if __name__ == "__main__":
    unittest.main()
