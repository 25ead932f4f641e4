// Ranks in one process meet, send, and notice when one waits for ever.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Ranks.h"

#include <gtest/gtest.h>

using namespace tutti::interpreter;

namespace {

TEST(Ranks, MembersGetWhatAllGiveInTheOrderOfTheSet) {
  Ranks ranks(3);
  std::vector<uint64_t> sums(3);
  EXPECT_TRUE(ranks.run([&](int64_t rank) {
    auto all = ranks.exchange(rank, {0, 1, 2}, "sum", {makeScalar(rank + 1)});
    if (!all)
      return false;
    for (const auto &given : *all)
      sums[rank] = 10 * sums[rank] + given[0]->elements[0];
    return true;
  }));
  EXPECT_EQ(sums, std::vector<uint64_t>({123, 123, 123}));
}

TEST(Ranks, ARankThatNeverComesIsNoticed) {
  Ranks ranks(3);
  EXPECT_FALSE(ranks.run([&](int64_t rank) {
    return rank == 1 || ranks.exchange(rank, {0, 1, 2}, "sum", {}).has_value();
  }));
  EXPECT_NE(ranks.getProblem().find("waits for ever at sum"), std::string::npos);
}

TEST(Ranks, ARankThatComesToSomethingElseIsNoticed) {
  Ranks ranks(2);
  EXPECT_FALSE(ranks.run([&](int64_t rank) {
    return ranks.exchange(rank, {0, 1}, rank ? "mean" : "sum", {}).has_value();
  }));
  EXPECT_EQ(ranks.getProblem(), "rank 1 comes to mean where rank 0 is at sum");
}

TEST(Ranks, MessagesOfOneTagKeepTheirOrder) {
  Ranks ranks(2);
  std::vector<uint64_t> received;
  EXPECT_TRUE(ranks.run([&](int64_t rank) {
    for (uint64_t i = 0; i < 3; ++i) {
      if (rank == 1)
        ranks.send(1, 0, 7, {makeScalar(i)});
      else if (auto values = ranks.receive(1, 0, 7))
        received.push_back(values->front()->elements[0]);
    }
    return true;
  }));
  EXPECT_EQ(received, std::vector<uint64_t>({0, 1, 2}));
}

TEST(Ranks, SetsThatHaveNoRankInCommonMeetByThemselves) {
  Ranks ranks(4);
  EXPECT_TRUE(ranks.run([&](int64_t rank) {
    std::vector<int64_t> set = rank < 2 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{2, 3};
    auto all = ranks.exchange(rank, set, "sum", {makeScalar(rank)});
    return all && all->size() == 2 && int64_t((*all)[1][0]->elements[0]) == set[1];
  }));
}

} // namespace
