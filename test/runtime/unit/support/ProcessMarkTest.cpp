// Who made a file, told by its name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/ProcessMark.h"
#include "test/runtime/Fork.h"

#include <gtest/gtest.h>
#include <unistd.h>

using namespace tutti::runtime;

TEST(ProcessMark, comes_back_from_a_name) {
  std::string_view rest;
  std::string name = ProcessMark::own().text() + "-rest";
  auto mark = ProcessMark::parse(name, rest);
  ASSERT_TRUE(mark);
  EXPECT_EQ(rest, "-rest");
  EXPECT_EQ(mark->process, getpid());
  EXPECT_TRUE(mark->is_of_here());
  EXPECT_FALSE(mark->has_ended());
  for (const char *other : {"", "abc", "0123456789ab", "0123456789ab-", "0123456789ab-0",
                            "0123456789ab--4", "0123456789xy-4", "0123456789abc-4"})
    EXPECT_FALSE(ProcessMark::parse(other, rest)) << other;
}

TEST(ProcessMark, only_the_dead_of_here_have_ended) {
  Fork fork = start_fork([]() -> std::string { return ""; });
  int process = fork.pid;
  finish_fork(fork);
  ProcessMark dead = {ProcessMark::own().where, process};
  EXPECT_TRUE(dead.has_ended());
  ProcessMark elsewhere = {dead.where ^ 1, process}; // another machine, container or boot
  EXPECT_FALSE(elsewhere.is_of_here());
  EXPECT_FALSE(elsewhere.has_ended());
}
