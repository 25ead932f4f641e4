// Limits on what a compressed array becomes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Inflation.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using testing::HasSubstr;
using tutti::runtime::data::available_memory;
using tutti::runtime::data::check_inflation;

namespace {

constexpr uint64_t MiB = 1 << 20, GiB = 1 << 30;

TEST(Inflation, is_limited_by_the_memory_that_is_free) {
  EXPECT_FALSE(check_inflation(GiB, 4 * GiB, 4 * GiB));
  auto refused = check_inflation(GiB, 4 * GiB + 1, 4 * GiB);
  EXPECT_EQ(refused.status, TUTTI_OUT_OF_MEMORY);
  EXPECT_THAT(refused.message, HasSubstr("4294967296 bytes of memory are free"));
}

TEST(Inflation, is_limited_by_how_much_smaller_the_file_is) {
  auto refused = check_inflation(8600000, 8 * GiB, 1024 * GiB);
  EXPECT_EQ(refused.status, TUTTI_BAD_DATA);
  EXPECT_THAT(refused.message, HasSubstr("more than 200 times"));
  EXPECT_THAT(refused.message, HasSubstr("numpy.savez"));
  EXPECT_FALSE(check_inflation(43 * MiB, 8 * GiB, 1024 * GiB)) << "190 times";
  EXPECT_FALSE(check_inflation(1, 256 * MiB, 1024 * GiB)) << "small arrays may be all zeros";
}

TEST(Inflation, knows_how_much_memory_there_is) {
  EXPECT_GT(available_memory(), MiB);
  EXPECT_LT(available_memory(), uint64_t(1) << 50);
}

} // namespace
