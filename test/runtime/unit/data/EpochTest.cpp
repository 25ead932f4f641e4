// The order of the samples in an epoch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Epoch.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

using tutti::runtime::data::epoch_order;
using Order = std::vector<int64_t>;

namespace {

Order in_order(int64_t rows) {
  Order order(rows);
  std::iota(order.begin(), order.end(), int64_t(0));
  return order;
}

Order shuffled(int64_t rows, uint64_t seed, int64_t epoch) {
  return epoch_order(rows, seed, epoch, /*is_shuffled=*/true);
}

} // namespace

TEST(EpochOrder, is_that_of_the_file_without_shuffling) {
  for (int64_t epoch : {0, 1, 5})
    EXPECT_EQ(epoch_order(7, 3, epoch, /*is_shuffled=*/false), in_order(7));
}

TEST(EpochOrder, has_each_sample_once) {
  for (int64_t rows : {0, 1, 2, 3, 10, 1000, 65537}) {
    Order order = shuffled(rows, 11, 2);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, in_order(rows)) << rows;
  }
}

// Checkpoints of one machine go on on another: the order is part of a run's result. The numbers
// come from another implementation of the two papers.
TEST(EpochOrder, is_the_same_on_every_machine_and_in_every_release) {
  EXPECT_EQ(shuffled(10, 0, 0), (Order{1, 2, 5, 7, 0, 8, 4, 3, 9, 6}));
  EXPECT_EQ(shuffled(10, 0, 1), (Order{3, 6, 4, 7, 9, 5, 2, 1, 8, 0}));
  EXPECT_EQ(shuffled(10, 42, 3), (Order{3, 0, 6, 8, 4, 5, 1, 7, 2, 9}));
  EXPECT_EQ(shuffled(10, ~uint64_t(0), 7), (Order{3, 5, 0, 9, 7, 8, 4, 6, 2, 1}));
}

TEST(EpochOrder, differs_between_epochs_and_seeds) {
  std::set<Order> seen;
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (int64_t epoch = 0; epoch < 20; ++epoch)
      seen.insert(shuffled(50, seed, epoch));
  EXPECT_EQ(seen.size(), 400u);
}

// A shuffle that swaps with any place, or never with its own, shows here.
TEST(EpochOrder, gives_every_sample_every_place_equally_often) {
  constexpr int64_t rows = 5, epochs = 20000;
  int64_t counts[rows][rows] = {};
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    Order order = shuffled(rows, 1, epoch);
    for (int64_t place = 0; place < rows; ++place)
      ++counts[order[place]][place];
  }
  constexpr double expected = double(epochs) / rows; // 4000, with a deviation of 57
  for (auto &of_sample : counts)
    for (int64_t count : of_sample)
      EXPECT_NEAR(double(count), expected, 5 * 57);
}

TEST(EpochOrder, has_all_orders_of_three_equally_often) {
  constexpr int64_t epochs = 12000;
  std::map<Order, int64_t> counts;
  for (int64_t epoch = 0; epoch < epochs; ++epoch)
    ++counts[shuffled(3, 99, epoch)];
  ASSERT_EQ(counts.size(), 6u);
  for (const auto &[order, count] : counts)
    EXPECT_NEAR(double(count), epochs / 6.0, 5 * 41);
}

namespace {

Order by_blocks(int64_t rows, int64_t block, uint64_t seed, int64_t epoch) {
  tutti::runtime::data::EpochOrder order(rows, seed, epoch, {true, block});
  Order all;
  for (int64_t place = 0; place < rows; ++place)
    all.push_back(order.at(place));
  return all;
}

} // namespace

TEST(BlockOrder, has_each_sample_once_and_blocks_together) {
  for (int64_t rows : {1, 7, 10, 12, 1000, 1001})
    for (int64_t block : {1, 3, 4, 100, 5000}) {
      Order order = by_blocks(rows, block, 5, 1), sorted = order;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(sorted, in_order(rows)) << rows << " by " << block;
      int64_t changes = 0;
      for (size_t i = 1; i < order.size(); ++i)
        changes += order[i] / block != order[i - 1] / block;
      EXPECT_EQ(changes, (rows + block - 1) / block - 1);
    }
}

TEST(BlockOrder, moves_blocks_and_their_samples_in_every_epoch) {
  std::set<Order> seen;
  for (int64_t epoch = 0; epoch < 50; ++epoch)
    seen.insert(by_blocks(30, 10, 1, epoch));
  EXPECT_EQ(seen.size(), 50u);
  EXPECT_EQ(by_blocks(10, 4, 42, 3),
            (Order{6, 4, 7, 5, 3, 2, 1, 0, 8, 9})); // as another program says
}

TEST(BlockOrder, is_the_same_for_places_in_any_order) {
  Order whole = by_blocks(23, 5, 9, 2);
  tutti::runtime::data::EpochOrder order(23, 9, 2, {true, 5});
  for (int64_t place = 22; place >= 0; place -= 2)
    EXPECT_EQ(order.at(place), whole[size_t(place)]);
}
