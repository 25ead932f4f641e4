// Blocks of variables: what ranks take of a whole is the whole again where it is joined.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Blocks.h"

#include "tutti/manifest.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tutti::runtime::worker;

namespace {

using Bytes = std::vector<char>;

Bytes numbers(int64_t count) {
  Bytes all(size_t(count), 0);
  std::iota(all.begin(), all.end(), char(1));
  return all;
}

tutti::manifest::Variable divided(std::vector<int64_t> whole, int64_t dimension, int64_t blocks,
                                  int64_t outer = 1, int64_t parts = 1) {
  tutti::manifest::Variable variable;
  variable.whole = std::move(whole);
  variable.dimension = dimension;
  variable.blocks = blocks;
  variable.outer = outer;
  variable.parts = parts;
  return variable;
}

/// What each of `ranks` takes, with something else in its memory before.
std::vector<Bytes> take_all(const Blocks &blocks, const Bytes &whole, int64_t ranks) {
  std::vector<Bytes> held;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    held.emplace_back(size_t(blocks.bytes()), char(99));
    blocks.take(whole.data(), rank, held.back().data());
  }
  return held;
}

Bytes join(const Blocks &blocks, const std::vector<Bytes> &held) {
  Bytes whole(size_t(blocks.whole_bytes()), char(99));
  blocks.join([&](int64_t rank) { return held[size_t(rank)].data(); }, whole.data());
  return whole;
}

} // namespace

TEST(Blocks, are_runs_of_the_dimension) {
  Blocks blocks(divided({2, 4, 3}, 1, 2), 2, 1);
  ASSERT_EQ(blocks.bytes(), 12);
  EXPECT_EQ(take_all(blocks, numbers(24), 2)[1],
            (Bytes{7, 8, 9, 10, 11, 12, 19, 20, 21, 22, 23, 24}));
}

TEST(Blocks, put_back_are_the_whole) {
  for (int64_t dimension : {0, 1, 2}) {
    Blocks blocks(divided({4, 4, 4}, dimension, 2), 4, 2);
    EXPECT_EQ(join(blocks, take_all(blocks, numbers(128), 4)), numbers(128));
  }
}

TEST(Blocks, are_of_each_range) {
  Blocks blocks(divided({2, 6}, 1, 2, 3), 2, 1); // query, key and value of two heads
  ASSERT_EQ(blocks.bytes(), 6);
  std::vector<Bytes> held = take_all(blocks, numbers(12), 2);
  EXPECT_EQ(held[0], (Bytes{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(held[1], (Bytes{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(join(blocks, held), numbers(12));
}

TEST(Blocks, are_divided_among_ranks_that_have_the_same) {
  Blocks blocks(divided({5, 4}, 1, 2, 1, 3), 6, 1); // 10 elements in parts of 4
  ASSERT_EQ(blocks.bytes(), 4);
  std::vector<Bytes> held = take_all(blocks, numbers(20), 6);
  EXPECT_EQ(held[0], (Bytes{1, 2, 5, 6}));
  EXPECT_EQ(held[1], (Bytes{3, 4, 7, 8}));
  EXPECT_EQ(held[2], (Bytes{9, 10, 13, 14}));
  EXPECT_EQ(held[5], (Bytes{19, 20, 0, 0})) << "filled up";
  EXPECT_EQ(join(blocks, held), numbers(20));
}

TEST(Blocks, of_which_there_is_one_are_the_same_for_neighbours) {
  Blocks blocks(divided({3}, 0, 1, 1, 2), 4, 2);
  ASSERT_EQ(blocks.bytes(), 4);
  std::vector<Bytes> held = take_all(blocks, numbers(6), 4);
  EXPECT_EQ(held[0], (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(held[1], held[0]);
  EXPECT_EQ(held[3], (Bytes{5, 6, 0, 0}));
  EXPECT_EQ(join(blocks, held), numbers(6));
}

TEST(Blocks, of_what_they_do_not_divide_are_filled_up_with_zeros) {
  Blocks blocks(divided({2, 5, 2}, 1, 3), 3, 1); // blocks of two, the last has one
  ASSERT_EQ(blocks.bytes(), 8);
  ASSERT_EQ(blocks.whole_bytes(), 20);
  std::vector<Bytes> held = take_all(blocks, numbers(20), 3);
  EXPECT_EQ(held[0], (Bytes{1, 2, 3, 4, 11, 12, 13, 14}));
  EXPECT_EQ(held[2], (Bytes{9, 10, 0, 0, 19, 20, 0, 0}));
  EXPECT_EQ(join(blocks, held), numbers(20));
}

TEST(Blocks, that_are_all_filled_up_are_zeros) {
  Blocks blocks(divided({5}, 0, 4), 4, 1); // of two, one, and none
  std::vector<Bytes> held = take_all(blocks, numbers(5), 4);
  EXPECT_EQ(held[2], (Bytes{5, 0}));
  EXPECT_EQ(held[3], (Bytes{0, 0}));
  EXPECT_EQ(join(blocks, held), numbers(5));
}

TEST(Blocks, that_are_filled_up_have_parts) {
  Blocks blocks(divided({3, 3}, 0, 2, 1, 4), 8, 1); // six elements in parts of two
  std::vector<Bytes> held = take_all(blocks, numbers(9), 8);
  EXPECT_EQ(held[1], (Bytes{7, 8}));
  EXPECT_EQ(held[3], (Bytes{9, 0}));
  EXPECT_EQ(held[5], (Bytes{0, 0}));
  EXPECT_EQ(join(blocks, held), numbers(9));
}

TEST(Blocks, may_be_more_than_there_are_elements) {
  Blocks blocks(divided({2, 2}, 0, 2, 1, 4), 8, 4); // two elements in four parts
  EXPECT_EQ(join(blocks, take_all(blocks, numbers(16), 8)), numbers(16));
}

TEST(Blocks, of_nothing_copy_nothing) {
  Blocks blocks(divided({4, 0}, 0, 2), 2, 4);
  EXPECT_EQ(blocks.bytes(), 0);
  blocks.take(nullptr, 0, nullptr);
}
