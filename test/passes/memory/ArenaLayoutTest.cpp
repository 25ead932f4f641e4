// Where buffers go in an arena.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/ArenaLayout.h"

#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace tutti::memory;

namespace {

TEST(ArenaLayout, NothingTakesNothing) {
  std::vector<ArenaBuffer> buffers;
  EXPECT_EQ(layOutArena(buffers), 0);
}

TEST(ArenaLayout, BuffersOfDifferentTimesShareAPlace) {
  std::vector<ArenaBuffer> buffers{{100, 0, 1, 0}, {100, 2, 3, 0}};
  EXPECT_EQ(layOutArena(buffers), 128);
  EXPECT_EQ(buffers[0].offset, buffers[1].offset);
}

TEST(ArenaLayout, LastAndFirstMomentOverlap) {
  std::vector<ArenaBuffer> buffers{{64, 0, 1, 0}, {64, 1, 2, 0}};
  EXPECT_EQ(layOutArena(buffers), 128);
}

TEST(ArenaLayout, TheSmallestGapThatHoldsIt) {
  // Placed by size: 0..1024, 1024..1536, 1536..1792, 1792..1856; then the second and the fourth are
  // gone, and of the gaps of 512 and 256 the smaller is taken.
  std::vector<ArenaBuffer> buffers{{1024, 0, 9, 0}, {512, 0, 1, 0}, {448, 0, 9, 0},
                                   {256, 0, 1, 0},  {192, 0, 9, 0}, {190, 2, 9, 0}};
  layOutArena(buffers);
  EXPECT_EQ(buffers[5].offset, buffers[3].offset);
}

/// Activations that live until their backward step, gradients that live until the end, and what a
/// loss takes in the middle.
std::vector<ArenaBuffer> stepOf(unsigned layers, std::mt19937 &random) {
  std::vector<ArenaBuffer> buffers;
  int64_t loss = 2 * layers, end = 4 * layers + 10;
  for (int64_t layer = 0; layer < layers; ++layer) {
    int64_t bytes = 64 * (1 + random() % 8);
    buffers.push_back({bytes, 2 * layer, end - 10 - 2 * layer, 0});
    buffers.push_back({4 * bytes, 2 * layer + 1, 2 * layer + 2, 0});              // forward alone
    buffers.push_back({4 * bytes, end - 10 - 2 * layer, end - 9 - 2 * layer, 0}); // backward alone
    buffers.push_back(
        {(layer == 0 ? 40 : 3) * bytes, end - 10 - 2 * layer, end, 0}); // of its weights
  }
  for (int64_t part = 0; part < 4; ++part)
    buffers.push_back({16384, loss + part, loss + part + (part == 3 ? 3 : 1), 0});
  return buffers;
}

TEST(ArenaLayout, StepsWasteLittle) {
  std::mt19937 random(11);
  double waste = 0;
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<ArenaBuffer> buffers = stepOf(4 + random() % 20, random);
    int64_t live = findLiveBytes(buffers), total = layOutArena(buffers);
    EXPECT_GE(total, live);
    waste += double(total) / double(live) / 50;
  }
  EXPECT_LT(waste, 1.006); // 1.0087 where the largest always goes first
}

TEST(ArenaLayout, RandomBuffersNeverCollide) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<ArenaBuffer> buffers;
    int64_t sum = 0;
    for (int i = 0; i < 60; ++i) {
      int64_t first = random() % 50, bytes = random() % 5000;
      buffers.push_back({bytes, first, first + int64_t(random() % 10), 0});
      sum += (bytes + 63) / 64 * 64;
    }
    int64_t total = layOutArena(buffers);
    EXPECT_LE(total, sum);
    for (const ArenaBuffer &a : buffers) {
      EXPECT_EQ(a.offset % kArenaAlignment, 0);
      EXPECT_LE(a.offset + a.bytes, total);
      for (const ArenaBuffer &b : buffers) {
        bool together = &a != &b && a.firstMoment <= b.lastMoment && b.firstMoment <= a.lastMoment;
        bool apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
        EXPECT_TRUE(!together || apart || !a.bytes || !b.bytes);
      }
    }
  }
}

TEST(ArenaLayout, RowsHaveNoGaps) {
  std::vector<ArenaBuffer> buffers{{100, 0, 9, 0}, {64, 1, 9, 0}, {20, 2, 9, 0}, {500, 0, 9, 0}};
  EXPECT_EQ(layOutArena(buffers, {{1, 0, 2}}), 512 + 192);
  EXPECT_EQ(buffers[3].offset, 0);
  EXPECT_EQ(buffers[1].offset, 512);
  EXPECT_EQ(buffers[0].offset, 512 + 64);
  EXPECT_EQ(buffers[2].offset, 512 + 164);
}

TEST(ArenaLayout, APlaceInARowIsFreeUntilItsBufferLives) {
  // The second of the row is made late: until then another buffer lies there.
  std::vector<ArenaBuffer> buffers{{256, 0, 9, 0}, {256, 5, 9, 0}, {256, 0, 4, 0}};
  EXPECT_EQ(layOutArena(buffers, {{0, 1}}), 512);
  EXPECT_EQ(buffers[2].offset, buffers[1].offset);
}

TEST(ArenaLayout, ARowGoesAroundWhatLiesThere) {
  // Placed first, and in the way of the second of the row only.
  std::vector<ArenaBuffer> buffers{{2048, 5, 9, 0}, {64, 0, 4, 0}, {100, 0, 9, 0}};
  layOutArena(buffers, {{1, 2}});
  EXPECT_EQ(buffers[0].offset, 0);
  EXPECT_EQ(buffers[1].offset, 2048 - 64);
  EXPECT_EQ(buffers[2].offset, 2048);
}

TEST(ArenaLayout, RandomRowsNeverCollide) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<ArenaBuffer> buffers;
    for (int i = 0; i < 60; ++i) {
      int64_t first = random() % 50, bytes = 1 + random() % 3000;
      buffers.push_back({bytes, first, first + int64_t(random() % 10), 0});
    }
    std::vector<ArenaRow> rows{{3, 1, 4}, {15, 9, 2, 6}, {58, 57}};
    int64_t total = layOutArena(buffers, rows);
    for (const ArenaRow &row : rows) {
      EXPECT_EQ(buffers[row.front()].offset % kArenaAlignment, 0);
      for (size_t i = 1; i < row.size(); ++i)
        EXPECT_EQ(buffers[row[i]].offset, buffers[row[i - 1]].offset + buffers[row[i - 1]].bytes);
    }
    for (const ArenaBuffer &a : buffers) {
      EXPECT_GE(a.offset, 0);
      EXPECT_LE(a.offset + a.bytes, total);
      for (const ArenaBuffer &b : buffers) {
        bool together = &a != &b && a.firstMoment <= b.lastMoment && b.firstMoment <= a.lastMoment;
        EXPECT_TRUE(!together || a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
      }
    }
  }
}

} // namespace
