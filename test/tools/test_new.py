#!/usr/bin/python3
"""Tests of tools/new: what it writes is formatted, is read by the tools that read it, and takes no name that there is."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLEGEN, LLVM = "/usr/lib/llvm-22/bin/mlir-tblgen", "/usr/lib/llvm-22/include"
COPIED = ("passes", "dialects", "docs", "test/passes/distribution", "test/passes/gradient", "test/equivalence/gradients/cases",
          "test/lib/layout/Inputs")


class New(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for name in COPIED:
            shutil.copytree(ROOT / name, self.root / name)
        shutil.copy(ROOT / ".clang-format", self.root)

    def new(self, *arguments):
        return subprocess.run([sys.executable, ROOT / "tools/new/new.py", "--root", self.root, *arguments],
                              capture_output=True, text=True, check=False)

    def written(self, *arguments):
        run = self.new(*arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return [self.root / path for path in re.findall(r"^(?:wrote|added to) (\S+)$", run.stdout, re.MULTILINE)]

    def check(self, paths):
        """All is filled in; C++ is formatted and lines are not too long."""
        for path in paths:
            text = path.read_text()
            self.assertEqual(re.findall(r"@(?:name|flag|pass|stage|formula|slope|words)_?@", text, re.IGNORECASE), [], path)
            if not (ROOT / path.relative_to(self.root)).exists():
                self.assertLessEqual(max(map(len, text.splitlines())), 140, path)
            if path.suffix == ".cpp":
                subprocess.run(["clang-format-14", "--dry-run", "-Werror", path], check=True)

    def generate(self, generator, path):
        return subprocess.run([TABLEGEN, generator, "-name=X", path, "-I", self.root, "-I", LLVM], capture_output=True,
                              text=True, check=True).stdout

    def test_a_strategy_is_two_files_and_its_tests(self):
        paths = self.written("strategy", "BlockMomentum")
        self.check(paths)
        names = [str(path.relative_to(self.root)) for path in paths]
        self.assertEqual(sorted(names), ["passes/distribution/BlockMomentum.cpp", "passes/distribution/BlockMomentum.td",
                                         "passes/strategies/BlockMomentum.cpp", "test/equivalence/block-momentum.test",
                                         "test/passes/distribution/distribute-block-momentum.mlir"])
        declared = self.generate("-gen-pass-decls", self.root / "passes/distribution/BlockMomentum.td")
        for word in ("createBlockMomentumPass", "BlockMomentumPassOptions", "distribute-block-momentum"):
            self.assertIn(word, declared)
        self.assertIn("const Strategy &blockMomentum = ", paths[names.index("passes/strategies/BlockMomentum.cpp")].read_text())
        again = self.new("strategy", "BlockMomentum")
        self.assertEqual(again.returncode, 1)
        self.assertIn("exists", again.stderr)

    def test_a_pass_stands_in_its_stage(self):
        self.check(self.written("pass", "distribution/CountThings"))
        self.check(self.written("pass", "gradient/CountThings2"))
        sources = (self.root / "passes/gradient/CMakeLists.txt").read_text()
        self.assertRegex(sources, r"ApplyRecipe\.cpp CountThings2\.cpp Evaluation\.cpp")
        declared = self.generate("-gen-pass-decls", self.root / "passes/gradient/Passes.td")
        self.assertIn("train-count-things2", declared)
        self.assertIn("createExpandGradientsPass", declared)

    def test_an_operator_is_a_row_and_two_examples(self):
        paths = self.written("operator", "TwiceShrunk", "--formula", "X * 2", "--slope", "dY * 2")
        self.check(paths)
        self.assertEqual(len(paths), 3)
        self.assertIn("def Onnx_TwiceShrunkOp : Onnx_Unary", paths[0].read_text())
        self.assertIn('  let slopes = ["dY * 2"];', paths[0].read_text())
        for path in paths[1:]:
            self.assertEqual(path.read_text().count("onnx.TwiceShrunk %"), 1)
            self.assertIn("func.func @twice_shrunk(", path.read_text())

    def test_names_that_are_taken_or_no_names_are_refused(self):
        for words, message in ((["strategy", "LocalSgd"], "the key local-sgd exists"), (["strategy", "local-sgd"], "is no name"),
                               (["pass", "gradient/ExpandGradients"], "a pass ExpandGradients exists"),
                               (["pass", "CollectiveFuse"], "is no STAGE/NAME"), (["pass", "cooking/Fuse"], "stages are"),
                               (["operator", "Relu", "--formula", "X", "--slope", "dY"], "the operator Relu exists")):
            before = sorted(self.root.rglob("*"))
            run = self.new(*words)
            self.assertEqual(run.returncode, 1, words)
            self.assertIn(message, run.stderr)
            self.assertEqual(sorted(self.root.rglob("*")), before)


if __name__ == "__main__":
    unittest.main()
