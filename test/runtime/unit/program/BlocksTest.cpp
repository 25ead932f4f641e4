// Blocks of variables: what is taken of a whole lies where it is put back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Blocks.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tutti::runtime::worker;

namespace {

std::vector<char> numbers(int64_t count) {
  std::vector<char> all(size_t(count), 0);
  std::iota(all.begin(), all.end(), char(0));
  return all;
}

} // namespace

TEST(Blocks, are_runs_of_the_dimension) {
  Blocks blocks({2, 4, 3}, 1, 2, 1, 1);
  ASSERT_EQ(blocks.bytes(), 12);
  std::vector<char> whole = numbers(24), block(12);
  blocks.take(whole.data(), 1, block.data());
  EXPECT_EQ(block, (std::vector<char>{6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22, 23}));
}

TEST(Blocks, put_back_are_the_whole) {
  for (int64_t dimension : {0, 1, 2}) {
    Blocks blocks({4, 4, 4}, dimension, 2, 1, 2);
    std::vector<char> whole = numbers(128), again(128), block(64);
    for (int64_t index : {1, 0}) {
      blocks.take(whole.data(), index, block.data());
      blocks.put(block.data(), index, again.data());
    }
    EXPECT_EQ(again, whole);
  }
}

TEST(Blocks, are_of_each_range) {
  Blocks blocks({2, 6}, 1, 2, 3, 1); // query, key and value of two heads
  ASSERT_EQ(blocks.bytes(), 6);
  std::vector<char> whole = numbers(12), block(6), again(12);
  blocks.take(whole.data(), 1, block.data());
  EXPECT_EQ(block, (std::vector<char>{1, 3, 5, 7, 9, 11}));
  blocks.put(block.data(), 1, again.data());
  blocks.take(whole.data(), 0, block.data());
  EXPECT_EQ(block, (std::vector<char>{0, 2, 4, 6, 8, 10}));
  blocks.put(block.data(), 0, again.data());
  EXPECT_EQ(again, whole);
}

TEST(Blocks, of_nothing_copy_nothing) {
  Blocks blocks({4, 0}, 0, 2, 1, 4);
  EXPECT_EQ(blocks.bytes(), 0);
  blocks.take(nullptr, 0, nullptr);
}
