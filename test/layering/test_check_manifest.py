#!/usr/bin/python3
"""Tests of check_manifest.py: a member that is not listed, or not described, is missed, and the text has every field."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import unittest

from check_manifest import problems, text_of

SOURCE = '''
struct Tensor {
  std::string name;           ///< its name
  std::vector<int64_t> shape; ///< of the buffer,
                              ///< on one rank
  bool is_mean = true;        ///< of the workers

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("name", self.name);
    visitor.value("shape", self.shape, optional, 0);
    visitor.either("reduction", self.is_mean, "sum", "mean");
  }
};

struct Manifest {
  std::vector<Tensor> tensors; ///< all

  template <typename Self, typename Visitor> static void fields(Self &self, Visitor &&visitor) {
    visitor.value("tensors", self.tensors);
  }
};
'''


class Manifest(unittest.TestCase):
    def test_what_agrees_is_left_alone(self):
        self.assertEqual(list(problems(SOURCE)), [])

    def test_every_member_is_a_field_once(self):
        less = SOURCE.replace('    visitor.value("name", self.name);\n', "")
        self.assertIn("Tensor::name is 0 times among the fields", list(problems(less))[0])
        more = SOURCE.replace('"tensors", self.tensors', '"tensors", self.tables')
        self.assertIn("Manifest::tables is a field, and no member", "\n".join(problems(more)))

    def test_every_member_is_described(self):
        self.assertIn("Manifest::tensors has no description", list(problems(SOURCE.replace(" ///< all", "")))[0])

    def test_names_are_of_one_field(self):
        twice = SOURCE.replace('"shape", self', '"name", self')
        self.assertIn("Tensor has two fields 'name'", list(problems(twice))[0])

    def test_the_text_has_all_of_them(self):
        text = text_of(SOURCE)
        for part in ('"tensors": a list of tensors; all', '"name": text; its name', '"shape"?: a list of numbers; of the buffer, on one rank', '"reduction": sum|mean; of the workers'):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
