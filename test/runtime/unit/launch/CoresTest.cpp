// How the cores of a machine are dealt to ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/Cores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

using namespace tutti::runtime::worker;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// What each rank gets, as text.
std::vector<std::string> dealt(const std::string &machine, int64_t ranks) {
  std::vector<std::string> all;
  for (const Processors &own : Cores::synthetic(machine).divide(ranks))
    all.push_back(spell(own));
  return all;
}

} // namespace

TEST(Cores, are_dealt_by_what_they_share) {
  const std::string machine = "numa:2 core:4 pu:2"; // 16 processors, two a core
  EXPECT_THAT(dealt(machine, 1), ElementsAre("0-15"));
  EXPECT_THAT(dealt(machine, 2), ElementsAre("0-7", "8-15")) << "one a memory";
  EXPECT_THAT(dealt(machine, 4), ElementsAre("0-3", "4-7", "8-11", "12-15"));
  EXPECT_THAT(dealt(machine, 8),
              ElementsAre("0-1", "2-3", "4-5", "6-7", "8-9", "10-11", "12-13", "14-15"))
      << "no core is split";
}

TEST(Cores, are_all_dealt_where_ranks_do_not_divide_them) {
  EXPECT_THAT(dealt("core:4 pu:1", 3), ElementsAre("0", "1", "2-3"));
  EXPECT_THAT(dealt("numa:2 core:4 pu:2", 3), ElementsAre("0-3", "4-7", "8-15"));
}

TEST(Cores, are_shared_where_ranks_have_less_than_two) {
  Cores cores = Cores::synthetic("core:4 pu:2");
  EXPECT_EQ(cores.count(), 4);
  EXPECT_EQ(cores.why_not(2), "");
  EXPECT_EQ(cores.why_not(3), "there are 3 ranks and 4 cores, less than two a rank");
  EXPECT_TRUE(cores.divide(5).empty());
  EXPECT_THAT(Cores::synthetic("nonsense").why_not(1), HasSubstr("'nonsense' is no topology"));
}

/// On a machine of one processor nobody can be bound to a part of it.
TEST(Cores, that_somebody_has_chosen_stay) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  if (!Cores::of_machine().why_not(1).empty())
    GTEST_SKIP() << "this process is bound already, or has one core";
  CPU_ZERO(&one);
  for (int number = 0; CPU_COUNT(&one) == 0; ++number)
    if (CPU_ISSET(number, &before))
      CPU_SET(number, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::string why_not = Cores::of_machine().why_not(1);
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_THAT(why_not, HasSubstr("bound to a part of its processors already"));
}

TEST(Cores, are_spelled_as_ranges) {
  EXPECT_EQ(spell(Processors()), "");
  EXPECT_EQ(spell({3}), "3");
  EXPECT_EQ(spell({0, 1, 2, 8, 10, 11}), "0-2,8,10-11");
}
