// Makes new inputs of old ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_FUZZ_FORMATS_MUTATOR_H
#define TUTTI_TEST_FUZZ_FORMATS_MUTATOR_H

#include "test/fuzz/formats/Input.h"

#include <random>
#include <vector>

namespace tutti::fuzz {

/// A sequence of inputs that depends on nothing but the seeds and a number.
class Mutator {
public:
  Mutator(const std::vector<std::string> &seeds, uint64_t number) : seeds(seeds), random(number) {}

  std::string next();

private:
  void change(std::string &input);
  void flipBit(std::string &input);
  void setByte(std::string &input);
  void setNumber(std::string &input);
  void changeDigits(std::string &input);
  void erase(std::string &input);
  void repeat(std::string &input);
  void insert(std::string &input);
  void splice(std::string &input);

  size_t below(size_t limit) { return limit ? random() % limit : 0; }
  /// Often short, seldom long.
  size_t length(size_t limit) { return below(limit >> below(8)) + 1; }

  const std::vector<std::string> &seeds;
  std::mt19937_64 random;
};

} // namespace tutti::fuzz

#endif // TUTTI_TEST_FUZZ_FORMATS_MUTATOR_H
