// The clocks of ranks that act as if they were on several machines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/ClockAgreement.h"
#include "runtime/engine/core/Context.h"
#include "runtime/engine/trace/Timeline.h"
#include "runtime/support/Error.h"
#include "test/runtime/RankForks.h"
#include "tutti/collectives.h"

#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;

namespace {

/// What all ranks found, by rank: origin, then uncertainty; gathered over the world.
std::vector<int64_t> gather(tutti_context *context, const ClockAgreement &own) {
  int64_t values[2] = {own.origin, own.uncertainty};
  std::vector<int64_t> all(size_t(2 * tutti_context_size(context)));
  const void *source = values;
  void *destination = all.data();
  int64_t two = 2;
  tutti_all_gather(context, 0, TUTTI_GROUP_WORLD, TUTTI_I64, 1, &source, &destination, &two);
  return all;
}

/// Runs `check` on what all found, in every rank, and gives the complaints.
template <typename Check> std::string agree(const std::vector<int64_t> &nodes, Check check) {
  RankForks forks;
  forks.ranks = int32_t(nodes.size());
  return forks.run([&](tutti_context *context, int32_t) -> std::string {
    context->node_of_rank = nodes;
    int64_t before = trace::ClockReading::take().nanoseconds;
    std::vector<int64_t> all = gather(context, agree_on_clocks(context, 9));
    int64_t after = trace::ClockReading::take().nanoseconds;
    if (tutti_context_status(context) != TUTTI_OK)
      return tutti_context_message(context);
    return check(all, before, after);
  });
}

} // namespace

TEST(ClockAgreement, is_exact_on_one_machine) {
  EXPECT_EQ(agree({0, 0, 0},
                  [](const auto &all, int64_t, int64_t) -> std::string {
                    for (size_t rank = 0; rank < all.size() / 2; ++rank)
                      if (all[2 * rank] != all[0] || all[2 * rank + 1] != 0)
                        return text("rank ", rank, ": ", all[2 * rank], " +- ", all[2 * rank + 1]);
                    return "";
                  }),
            "");
}

TEST(ClockAgreement, is_within_what_it_says_between_machines) {
  // In truth all read one clock, so the origins of all ranks are one time.
  EXPECT_EQ(agree({0, 0, 2, 2, 4},
                  [](const auto &all, int64_t, int64_t) -> std::string {
                    for (size_t rank = 2; rank < all.size() / 2; ++rank) {
                      int64_t error = std::abs(all[2 * rank] - all[0]);
                      int64_t said = all[2 * rank + 1];
                      if (said <= 0 || error > said)
                        return text("rank ", rank, " is ", error, " off and says ", said);
                    }
                    return "";
                  }),
            "");
}

TEST(ClockAgreement, gives_the_ranks_of_a_node_one_answer) {
  EXPECT_EQ(agree({0, 1, 1, 1},
                  [](const auto &all, int64_t, int64_t) -> std::string {
                    for (size_t rank = 2; rank < all.size() / 2; ++rank)
                      if (all[2 * rank] != all[2] || all[2 * rank + 1] != all[3])
                        return text("rank ", rank, " differs from rank 1");
                    return "";
                  }),
            "");
}

TEST(ClockAgreement, puts_the_origin_where_rank_0_began) {
  EXPECT_EQ(agree({0, 1},
                  [](const auto &all, int64_t before, int64_t after) -> std::string {
                    constexpr int64_t second = 1000000000; // ranks start one after the other
                    bool is_there = all[0] > before - second && all[0] < after;
                    return is_there ? "" : text(all[0], " is not near ", before, " to ", after);
                  }),
            "");
}

TEST(ClockAgreement, of_one_rank_is_its_own_clock) {
  EXPECT_EQ(agree({0},
                  [](const auto &all, int64_t before, int64_t after) -> std::string {
                    bool is_own = all[0] >= before && all[0] <= after && all[1] == 0;
                    return is_own ? "" : text(all[0], " +- ", all[1]);
                  }),
            "");
}
