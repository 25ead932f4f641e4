// The groups of a program: which ranks they have, and that the ranks can use them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/DeclaredGroups.h"
#include "runtime/engine/core/Context.h"
#include "test/runtime/RankForks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;
using Sets = std::vector<std::vector<int64_t>>;

namespace {

DeclaredGroup group_of(int64_t number, const char *members, int64_t size = 0, Sets sets = {}) {
  DeclaredGroup group;
  group.number = number;
  group.name = "g" + std::to_string(number);
  group.members = members;
  group.size = size;
  group.sets = std::move(sets);
  return group;
}

Sets sets(const char *members, const std::vector<int64_t> &nodes) {
  Result<Sets> found = sets_of(group_of(1, members), nodes);
  EXPECT_TRUE(found) << found.error().message;
  return found ? *found : Sets();
}

/// The sum of 1 + rank over the members of `group`, as this rank computes it with them.
float sum_over(tutti_context *context, int64_t group) {
  float mine = float(1 + tutti_context_rank(context));
  void *memory = &mine;
  int64_t one = 1;
  tutti_all_reduce(context, 0, group, TUTTI_SUM, TUTTI_F32, 1, &memory, &memory, &one);
  return mine;
}

/// Of ranks whose nodes are `nodes`: what each finds wrong with its sums over group 1, of which it
/// expects those in `expected`.
std::string run(const DeclaredGroup &group, const std::vector<int64_t> &nodes,
                const std::vector<float> &expected) {
  RankForks forks;
  forks.ranks = int32_t(nodes.size());
  return forks.run([&](tutti_context *context, int32_t rank) -> std::string {
    context->node_of_rank = nodes;
    Manifest manifest;
    manifest.groups = {group};
    if (Error error = create_groups(context, manifest))
      return error.message;
    float sum = sum_over(context, group.number);
    if (tutti_context_status(context) != TUTTI_OK)
      return tutti_context_message(context);
    return sum == expected[rank] ? "" : text("the sum is ", sum);
  });
}

} // namespace

TEST(GroupSets, of_a_node_are_its_ranks_wherever_they_stand) {
  EXPECT_EQ(sets("per_node", {0, 0, 2, 2}), (Sets{{0, 1}, {2, 3}}));
  EXPECT_EQ(sets("per_node", {0, 1, 0, 1, 0}), (Sets{{0, 2, 4}, {1, 3}}));
  EXPECT_EQ(sets("per_node", {0}), (Sets{{0}}));
}

TEST(GroupSets, across_nodes_take_one_rank_of_each) {
  EXPECT_EQ(sets("across_nodes", {0, 0, 2, 2}), (Sets{{0, 2}, {1, 3}}));
  EXPECT_EQ(sets("across_nodes", {0, 1, 0, 1}), (Sets{{0, 1}, {2, 3}}));
  EXPECT_EQ(sets("across_nodes", {0, 0, 0, 3}), (Sets{{0, 3}, {1}, {2}})) << "of unequal nodes";
}

TEST(GroupSets, of_ranks_are_those_of_the_program_whatever_the_nodes) {
  DeclaredGroup group = group_of(1, "ranks", 2, {{3, 0}, {1, 2}});
  EXPECT_EQ(*sets_of(group, {0, 1, 2, 3}), group.sets);
  EXPECT_EQ(*sets_of(group, {0, 0, 0, 0}), group.sets);
}

TEST(GroupSets, of_a_size_that_does_not_come_true_are_refused) {
  Result<Sets> refused = sets_of(group_of(1, "per_node", 2), {0, 0, 0, 3});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, TUTTI_BAD_PROGRAM);
  EXPECT_EQ(refused.error().message,
            "the program relies on 2 ranks in each set of group 'g1' (per_node), but the set of "
            "rank 0 has 3");
  EXPECT_THAT(sets_of(group_of(1, "per_node", 3), {0, 0, 0, 3}).error().message,
              HasSubstr("but the set of rank 3 has 1"));
}

TEST(CreatedGroups, reduce_within_each_node) {
  EXPECT_EQ(run(group_of(1, "per_node", 2), {0, 0, 2, 2}, {3, 3, 7, 7}), "");
  EXPECT_EQ(run(group_of(1, "per_node"), {0, 1, 0}, {4, 2, 4}), "");
}

TEST(CreatedGroups, reduce_across_nodes) {
  EXPECT_EQ(run(group_of(5, "across_nodes"), {0, 0, 2, 2}, {4, 6, 4, 6}), "");
}

TEST(CreatedGroups, leave_ranks_of_no_set_as_they_are) {
  EXPECT_EQ(run(group_of(2, "ranks", 2, {{0, 2}}), {0, 0, 0}, {4, 2, 4}), "");
}

TEST(CreatedGroups, of_nodes_that_do_not_fit_stop_every_rank) {
  std::string complaints = run(group_of(1, "per_node", 2), {0, 0, 2}, {3, 3, 3});
  for (const char *rank : {"rank 0: ", "rank 1: ", "rank 2: "})
    EXPECT_THAT(complaints, HasSubstr(std::string(rank) + "the program relies on 2 ranks"));
}
