// Dealing samples to ranks: every sample is dealt once, in the order that the mode says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Sharding.h"

#include <gtest/gtest.h>
#include <vector>

using tutti::runtime::Shard;

static std::vector<int64_t> samples_of(Shard shard) {
  std::vector<int64_t> samples;
  for (int64_t i = 0; i < shard.local_samples(); ++i)
    samples.push_back(shard.global_sample(i));
  return samples;
}

using List = std::vector<int64_t>;

TEST(Sharding, strided_takes_every_nth) {
  EXPECT_EQ(samples_of({TUTTI_SHARD_STRIDED, 0, 3, 7}), (List{0, 3, 6}));
  EXPECT_EQ(samples_of({TUTTI_SHARD_STRIDED, 1, 3, 7}), (List{1, 4}));
  EXPECT_EQ(samples_of({TUTTI_SHARD_STRIDED, 2, 3, 7}), (List{2, 5}));
}

TEST(Sharding, contiguous_takes_blocks_with_the_larger_ones_first) {
  EXPECT_EQ(samples_of({TUTTI_SHARD_CONTIGUOUS, 0, 3, 7}), (List{0, 1, 2}));
  EXPECT_EQ(samples_of({TUTTI_SHARD_CONTIGUOUS, 1, 3, 7}), (List{3, 4}));
  EXPECT_EQ(samples_of({TUTTI_SHARD_CONTIGUOUS, 2, 3, 7}), (List{5, 6}));
}

TEST(Sharding, none_gives_everyone_everything) {
  EXPECT_EQ(samples_of({TUTTI_SHARD_NONE, 2, 3, 4}), (List{0, 1, 2, 3}));
}

TEST(Sharding, each_sample_is_dealt_once) {
  for (int32_t mode : {TUTTI_SHARD_STRIDED, TUTTI_SHARD_CONTIGUOUS})
    for (int64_t ranks : {1, 2, 3, 5, 8})
      for (int64_t samples : {1, 4, 7, 16, 64}) {
        std::vector<int> times(samples);
        for (int64_t rank = 0; rank < ranks; ++rank)
          for (int64_t sample : samples_of({mode, rank, ranks, samples}))
            ++times.at(sample);
        EXPECT_EQ(times, std::vector<int>(samples, 1)) << mode << " " << ranks << " " << samples;
      }
}
