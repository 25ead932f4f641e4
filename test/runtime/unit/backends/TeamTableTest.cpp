// The table of teams: who is put into which, and when a place in it is free again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/TeamTable.h"
#include "runtime/engine/core/Context.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace tutti::runtime;
using namespace tutti::runtime::shm;
using testing::HasSubstr;

namespace {

class TeamTables : public testing::Test {
protected:
  /// The team that rank `members[index]` gets, or -1.
  int64_t join(const std::vector<int32_t> &members, int32_t index, int64_t occurrence = 0) {
    tutti_group group = {index, int32_t(members.size()), members.data(), occurrence};
    int64_t number = -1;
    TeamTable(segment, members[index], policy).join(&context, group, number);
    return number;
  }
  void leave(int64_t number) { TeamTable(segment, 0, policy).leave(number); }
  TeamHeader &header(int64_t number) { return segment.team(number).header(); }

  static Segment made() {
    Result<Segment> segment = Segment::create(4, 0);
    return std::move(*segment);
  }
  Segment segment = made();
  WaitPolicy policy{tutti_limits{5, 5, 1}};
  tutti_context context;
};

} // namespace

TEST_F(TeamTables, bring_the_members_of_a_group_together) {
  int64_t first = join({0, 1, 2}, 0);
  EXPECT_EQ(join({0, 1, 2}, 1), first);
  EXPECT_EQ(join({0, 1, 2}, 2), first);
  EXPECT_EQ(header(first).size, 3);
  EXPECT_EQ(context.message, "");
  EXPECT_EQ(segment.control().table_lock.load(), 0u);
}

TEST_F(TeamTables, tell_groups_apart_by_members_order_and_occurrence) {
  std::vector<int64_t> numbers = {join({0, 1}, 0),      join({1, 0}, 1), join({0, 1, 2}, 0),
                                  join({0, 2}, 0),      join({0}, 0),    join({0, 1}, 0, 1),
                                  join({0, 1, 2}, 0, 1)};
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(numbers, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(join({0, 1}, 1, 1), 5) << "of the second occurrence";
  EXPECT_EQ(join({0, 1}, 1), 0);
}

TEST_F(TeamTables, put_a_rank_into_the_oldest_team_that_it_is_not_in) {
  int64_t first = join({0, 1}, 0), second = join({0, 1}, 0), third = join({0, 1}, 0);
  EXPECT_EQ((std::vector<int64_t>{join({0, 1}, 1), join({0, 1}, 1), join({0, 1}, 1)}),
            (std::vector<int64_t>{first, second, third}));
}

TEST_F(TeamTables, know_the_oldest_by_when_it_was_made_not_by_where) {
  int64_t filler = join({3}, 0);
  int64_t older = join({0, 1}, 0);
  leave(filler);
  int64_t newer = join({0, 1}, 0);
  EXPECT_LT(newer, older) << "the free place comes first";
  EXPECT_EQ(join({0, 1}, 1), older);
  EXPECT_EQ(join({0, 1}, 1), newer);
}

TEST_F(TeamTables, free_a_place_when_the_last_has_left) {
  int64_t team = join({0, 1, 2}, 0);
  join({0, 1, 2}, 1);
  join({0, 1, 2}, 2);
  segment.team(team).post(1, 0).data[7] = 42;
  leave(team);
  leave(team);
  EXPECT_NE(header(team).serial, 0u);
  EXPECT_EQ(segment.team(team).post(1, 0).data[7], 42) << "one is still inside";
  EXPECT_NE(join({3}, 0), team);
  leave(team);
  EXPECT_EQ(header(team).serial, 0u);
  EXPECT_EQ(segment.team(team).post(1, 0).data[7], 0) << "the next find it empty";
  EXPECT_EQ(join({3, 2}, 0), team);
  EXPECT_EQ(header(team).left, 0);
  EXPECT_EQ(header(team).has_joined[1], 0) << "of the group before";
}

TEST_F(TeamTables, are_full_at_their_limit_and_no_sooner) {
  for (int64_t number = 0; number < most_teams; ++number)
    ASSERT_EQ(join({0, 1}, 0, number), number);
  EXPECT_EQ(join({0, 1}, 1, most_teams - 1), most_teams - 1) << "to an old one there is a way";
  EXPECT_EQ(join({0, 1}, 0, most_teams), -1);
  EXPECT_EQ(context.status, TUTTI_OUT_OF_MEMORY);
  EXPECT_THAT(context.message, HasSubstr("there can be 1024 groups in shared memory at once"));
  EXPECT_EQ(segment.control().table_lock.load(), 0u) << "others may go on";
  leave(5);
  leave(5); // both members
  EXPECT_EQ(join({2}, 0), 5);
}

TEST_F(TeamTables, are_used_by_all_ranks_at_once) {
  constexpr int64_t turns = 300;
  std::vector<std::vector<int64_t>> numbers(4);
  std::vector<std::thread> threads;
  for (int32_t rank = 0; rank < 4; ++rank)
    threads.emplace_back([&, rank] {
      tutti_context own;
      TeamTable table(segment, rank, policy);
      const int32_t members[] = {0, 1, 2, 3};
      for (int64_t turn = 0; turn < turns; ++turn) {
        tutti_group group = {rank, 4, members, turn};
        int64_t number = -1;
        if (table.join(&own, group, number) != TUTTI_OK)
          return;
        numbers[rank].push_back(number);
        table.leave(number);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int32_t rank = 1; rank < 4; ++rank)
    EXPECT_EQ(numbers[rank], numbers[0]) << rank;
  EXPECT_EQ(int64_t(numbers[0].size()), turns);
  for (int64_t number = 0; number < int64_t(segment.control().teams_seen.load()); ++number)
    EXPECT_EQ(header(number).serial, 0u) << number;
}

TEST_F(TeamTables, do_not_wait_for_a_lock_in_a_run_that_stops) {
  int64_t team = join({0}, 0);
  segment.control().table_lock.store(1 + 2);
  segment.abort({AbortKind::interrupted, 0, 2});
  leave(team); // returns, and leaves the table as it is
  EXPECT_EQ(join({0, 1}, 0), -1);
  EXPECT_EQ(context.status, TUTTI_INTERRUPTED);
  EXPECT_EQ(segment.control().table_lock.load(), 3u) << "it is not ours";
  EXPECT_NE(header(team).serial, 0u);
}
