// Schedules of all ranks beside each other: each message has its other side, at the same time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/schedules/Chain.h"
#include "runtime/engine/schedules/Slices.h"
#include "runtime/engine/schedules/Traffic.h"
#include "runtime/engine/schedules/Tree.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <tuple>

using namespace tutti::runtime;
using namespace tutti::runtime::schedules;

namespace {

/// Step, sender, receiver, lane, first and last element.
using Message = std::tuple<int64_t, int32_t, int32_t, Lane, int64_t, int64_t>;

/// Collects the messages of all ranks.
struct Meeting {
  std::map<Message, int32_t> sides; ///< 1: sent, 2: received
  int64_t steps = 0;

  template <typename Schedule> void add(int32_t rank, const Schedule &schedule) {
    Step step;
    schedule.for_each_step(step, [&] {
      for (const Move &move : step.moves) {
        steps = std::max(steps, step.number + 1);
        EXPECT_GE(step.number, 0);
        Message message = {step.number,
                           move.is_send ? rank : move.peer,
                           move.is_send ? move.peer : rank,
                           move.lane,
                           move.range.begin,
                           move.range.end};
        sides[message] += move.is_send ? 1 : 2;
      }
      return 0;
    });
  }
  void expect_pairs() const {
    for (const auto &[message, found] : sides)
      EXPECT_EQ(found, 3) << "step " << std::get<0>(message) << ", from " << std::get<1>(message)
                          << " to " << std::get<2>(message);
  }
};

Meeting chain(int32_t ranks, const Nodes &nodes, int64_t elements, int64_t chunk) {
  Meeting meeting;
  for (int32_t rank = 0; rank < ranks; ++rank)
    meeting.add(rank, ChainSchedule(links_of(rank, ranks, nodes), elements, chunk));
  return meeting;
}

} // namespace

TEST(ChainSchedule, takes_as_many_steps_as_it_says) {
  for (int32_t ranks : {2, 3, 4, 7, 33})
    for (int64_t elements : {1, 4, 5, 8, 43}) {
      Meeting meeting = chain(ranks, {}, elements, 4);
      int64_t chunks = (elements + 3) / 4;
      meeting.expect_pairs();
      EXPECT_EQ(meeting.steps, 2 * ranks + chunks - 3) << ranks << " ranks, " << elements;
      EXPECT_EQ(int64_t(meeting.sides.size()), 2 * chunks * (ranks - 1));
    }
}

TEST(ChainSchedule, of_nodes_takes_a_chain_in_each_and_one_across) {
  for (const Nodes &nodes : std::vector<Nodes>{{{0, 1}, {2, 3}},
                                               {{0}, {1}, {2, 3, 4, 5}},
                                               {{0, 3, 6}, {1, 4}, {2, 5}},
                                               {{0, 1, 2, 3, 4}, {5}, {6, 7}}}) {
    int32_t ranks = 0;
    for (const auto &members : nodes)
      ranks += int32_t(members.size());
    Meeting meeting = chain(ranks, nodes, 43, 4);
    meeting.expect_pairs();
    EXPECT_LE(meeting.steps, 2 * ranks + 11 - 3);
    EXPECT_EQ(int64_t(meeting.sides.size()), 2 * 11 * (ranks - 1));
  }
  Nodes many; // 32 of 8 ranks: as long as one of 8 and one of 32
  for (int32_t rank = 0; rank < 256; ++rank) {
    many.resize(size_t(rank / 8 + 1));
    many.back().push_back(rank);
  }
  EXPECT_LE(chain(256, many, 43, 4).steps, 2 * (8 + 32) + 11);
}

TEST(TreeSchedule, takes_twice_the_logarithm) {
  for (auto [ranks, levels] : {std::pair{2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {13, 4}, {33, 6}}) {
    Meeting meeting;
    for (int32_t rank = 0; rank < ranks; ++rank) {
      TreeSchedule schedule(rank, ranks, 3);
      meeting.add(rank, schedule);
      EXPECT_EQ(schedule.members() == 1, rank % 2 == 1 || rank == ranks - 1) << rank;
    }
    meeting.expect_pairs();
    EXPECT_EQ(meeting.steps, 2 * levels) << ranks;
    EXPECT_EQ(int64_t(meeting.sides.size()), 2 * (ranks - 1));
  }
}

TEST(Slices, are_given_and_taken) {
  for (int32_t ranks : {2, 3, 8})
    for (int64_t elements : {0, 1, 7, 100}) {
      Meeting meeting;
      for (int32_t rank = 0; rank < ranks; ++rank)
        meeting.add(rank, Slices(rank, ranks, {elements, 4, 4}));
      meeting.expect_pairs();
      EXPECT_EQ(meeting.steps, elements ? 2 : 0);
    }
}

TEST(Traffic, of_the_busiest_rank_is_the_most_of_all) {
  for (Way way : {Way::slices, Way::tree, Way::chain})
    for (int32_t ranks : {2, 3, 5, 8, 12, 64, 100}) {
      Row row = {way == Way::tree ? 5 : 1000003, 4, 4};
      Traffic busiest = busiest_traffic_of(way, ranks, row), most;
      for (int32_t rank = 0; rank < ranks; ++rank) {
        Traffic traffic = traffic_of(way, rank, ranks, row);
        most.steps = std::max(most.steps, traffic.steps);
        most.messages = std::max(most.messages, traffic.messages);
        most.bytes = std::max(most.bytes, traffic.bytes);
      }
      EXPECT_EQ(busiest.steps, most.steps) << name_of(way) << " " << ranks;
      EXPECT_EQ(busiest.messages, most.messages) << name_of(way) << " " << ranks;
      EXPECT_EQ(busiest.bytes, most.bytes) << name_of(way) << " " << ranks;
    }
}
