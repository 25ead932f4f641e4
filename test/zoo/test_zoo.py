"""The zoo is large enough, every program cites its thread and is refused, and docs/proofs.md lists them all.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
THREAD = re.compile(r"^// Thread: https://github\.com/([\w.-]+/[\w.-]+)/(issues|pull)/(\d+)$", re.MULTILINE)
PEERS = {"horovod/horovod", "pytorch/pytorch", "deepspeedai/DeepSpeed", "NVIDIA/Megatron-LM"}


class Zoo(unittest.TestCase):
    def setUp(self):
        self.programs = {path.stem: path.read_text() for path in (ROOT / "test/zoo").glob("*.mlir")}

    def test_has_60_programs_and_every_peer(self):
        threads = [THREAD.search(text).group(1, 2, 3) for text in self.programs.values()]
        self.assertGreaterEqual(len(self.programs), 60)
        self.assertGreaterEqual(len(set(threads)), 50)
        self.assertGreaterEqual({repository for repository, _, _ in threads}, PEERS)

    def test_each_cites_one_thread(self):
        for name, text in self.programs.items():
            with self.subTest(name):
                self.assertEqual(len(THREAD.findall(text)), 1)

    def test_each_is_refused_at_a_place_by_name(self):
        for name, text in self.programs.items():
            with self.subTest(name):
                self.assertIn("// RUN: not dist-opt %s", text)
                self.assertRegex(text, r"// CHECK: :\[\[# @LINE \+ \d\]\]:\{\{\[0-9\]\+\}\}: error: .*('\w+\.\w+'|variable)")

    def test_the_page_lists_each_with_its_thread(self):
        page = (ROOT / "docs/proofs.md").read_text()
        rows = re.findall(r"^\| \[([\w-]+)\]\(\.\./test/zoo/([\w-]+)\.mlir\) \| (.*?) \| \[.*?\]\((.*?)\) \|$", page, re.MULTILINE)
        self.assertEqual(sorted(name for name, _, _, _ in rows), sorted(self.programs))
        for name, file, title, thread in rows:
            with self.subTest(name):
                text = self.programs[file]
                self.assertEqual(text.splitlines()[0], "// " + title)
                self.assertIn("// Thread: " + thread + "\n", text)


if __name__ == "__main__":
    unittest.main()
