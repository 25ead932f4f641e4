// When a run is started again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/Restarts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

using namespace tutti::runtime::worker;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Restarts, wait_longer_each_time) {
  Restarts restarts(10);
  std::vector<int64_t> seconds, numbers;
  for (int64_t step = 1; step <= 9; ++step) {
    Restarts::Decision next = restarts.after({"killed", step}, /*reached=*/0);
    ASSERT_TRUE(next.goes_on) << next.why_not;
    seconds.push_back(next.seconds);
    numbers.push_back(next.number);
  }
  EXPECT_THAT(seconds, ElementsAre(1, 2, 4, 8, 16, 32, 60, 60, 60));
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(Restarts, begin_anew_after_progress) {
  Restarts restarts(2);
  EXPECT_EQ(restarts.after({"killed", 4}, 0).number, 1);
  EXPECT_EQ(restarts.after({"killed", 5}, 0).number, 2);
  Restarts::Decision next = restarts.after({"killed", 17}, 10);
  EXPECT_EQ(next.number, 1);
  EXPECT_EQ(next.seconds, 1);
  EXPECT_EQ(restarts.after({"killed", 16}, 10).number, 2); // not farther
  EXPECT_EQ(restarts.after({"killed", 15}, 10).why_not, ", after 2 restarts");
}

TEST(Restarts, end_where_it_is_the_same_each_time) {
  Restarts restarts(100);
  EXPECT_TRUE(restarts.after({"killed", 59}, 50).goes_on);
  EXPECT_TRUE(restarts.after({"killed", 59}, 50).goes_on);
  EXPECT_TRUE(restarts.after({"stalled", 59}, 50).goes_on);
  EXPECT_TRUE(restarts.after({"killed", 59}, 50).goes_on);
  EXPECT_TRUE(restarts.after({"killed", 59}, 50).goes_on);
  Restarts::Decision last = restarts.after({"killed", 59}, 50);
  EXPECT_FALSE(last.goes_on);
  EXPECT_THAT(last.why_not, HasSubstr("the same in step 59 for 3 times"));
}

TEST(Restarts, are_none_where_nobody_wants_any) {
  Restarts restarts(0);
  EXPECT_FALSE(restarts.after({"killed", 1}, 0).goes_on);
  EXPECT_EQ(restarts.after({"killed", 1}, 0).why_not, "");
}
