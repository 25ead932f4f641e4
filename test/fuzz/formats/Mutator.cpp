// Mutations that readers of binary and of text formats are known to stumble over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/formats/Mutator.h"

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace tutti::fuzz;

/// Longer ones find little more and take long.
static constexpr size_t kMostBytes = 1 << 16;

std::string Mutator::next() {
  std::string input = seeds[below(seeds.size())];
  for (size_t changes = 1 + below(6); changes > 0; --changes)
    change(input);
  if (input.size() > kMostBytes)
    input.resize(kMostBytes);
  return input;
}

void Mutator::change(std::string &input) {
  using Change = void (Mutator::*)(std::string &);
  static constexpr Change changes[] = {
      &Mutator::flipBit, &Mutator::setByte, &Mutator::setNumber, &Mutator::changeDigits,
      &Mutator::erase,   &Mutator::repeat,  &Mutator::insert,    &Mutator::splice};
  if (input.empty())
    return splice(input);
  (this->*changes[below(std::size(changes))])(input);
}

void Mutator::flipBit(std::string &input) { input[below(input.size())] ^= char(1 << below(8)); }

void Mutator::setByte(std::string &input) {
  static constexpr unsigned char bytes[] = {0, 1, 0x7f, 0x80, 0xff, '"', '{', '[', '<', '-', '9'};
  input[below(input.size())] = below(2) ? char(random()) : char(bytes[below(std::size(bytes))]);
}

/// A little-endian number at a limit of some type.
void Mutator::setNumber(std::string &input) {
  static constexpr uint64_t numbers[] = {0,
                                         1,
                                         0x7f,
                                         0x80,
                                         0xff,
                                         0x7fff,
                                         0xffff,
                                         0x7fffffff,
                                         0x80000000,
                                         0xffffffff,
                                         0x7fffffffffffffff,
                                         0x8000000000000000,
                                         0xffffffffffffffff};
  uint64_t number = numbers[below(std::size(numbers))];
  size_t width = std::min<size_t>(size_t(1) << below(4), input.size());
  std::memcpy(&input[below(input.size() - width + 1)], &number, width);
}

/// A number in a text.
void Mutator::changeDigits(std::string &input) {
  static const char *const numbers[] = {"-1",
                                        "0",
                                        "4294967296",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "1e999",
                                        "18446744073709551616"};
  size_t begin = input.find_first_of("0123456789", below(input.size()));
  if (begin == std::string::npos)
    return setByte(input);
  size_t end = input.find_first_not_of("0123456789", begin);
  input.replace(begin, end - begin, numbers[below(std::size(numbers))]);
}

void Mutator::erase(std::string &input) {
  size_t begin = below(input.size());
  input.erase(begin, length(input.size() - begin));
}

void Mutator::repeat(std::string &input) {
  size_t begin = below(input.size());
  std::string part = input.substr(begin, length(input.size() - begin));
  for (size_t times = 1 + below(4); times > 0; --times)
    input.insert(begin, part);
}

void Mutator::insert(std::string &input) {
  std::string bytes(length(32), 0);
  for (char &byte : bytes)
    byte = char(random());
  input.insert(below(input.size() + 1), bytes);
}

/// A part of another seed.
void Mutator::splice(std::string &input) {
  const std::string &other = seeds[below(seeds.size())];
  if (other.empty())
    return;
  size_t begin = below(other.size());
  std::string part = other.substr(begin, length(other.size() - begin));
  size_t at = below(input.size() + 1);
  input.replace(at, below(2) ? std::min(part.size(), input.size() - at) : 0, part);
}
