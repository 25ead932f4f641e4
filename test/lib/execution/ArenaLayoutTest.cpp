// Where buffers go in an arena.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lowering/ArenaLayout.h"

#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace tutti::lowering;

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

} // namespace
