// Groups: made, used, nested, destroyed; several at once; ranks translated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/conformance/Elements.h"
#include "test/runtime/conformance/World.h"

#include <algorithm>

using namespace tutti::runtime;

namespace {

using F32 = ElementType<TUTTI_F32, float>;

class GroupsOfRanks : public Conformance {};

/// The world ranks that have the remainder `remainder` by `modulus`.
std::vector<int64_t> remainder_class(tutti_context *context, int32_t remainder, int32_t modulus) {
  std::vector<int64_t> ranks;
  for (int32_t rank = remainder; rank < tutti_context_size(context); rank += modulus)
    ranks.push_back(rank);
  return ranks;
}

std::string check_sum(tutti_context *context, int64_t group, const std::vector<int64_t> &members) {
  constexpr int64_t most = 3000;
  for (int64_t size : {int64_t(1), most}) {
    Memory memory(context, size == most);
    float *values = memory.filled<F32>(tutti_context_rank(context), size);
    void *buffer = values;
    tutti_all_reduce(context, 0, group, TUTTI_SUM, TUTTI_F32, 1, &buffer, &buffer, &size);
    std::vector<int32_t> ranks(members.begin(), members.end());
    for (int64_t i = 0; i < size; ++i)
      COMPLAIN_UNLESS(std::abs(values[i] - reference<F32>(TUTTI_SUM, ranks, i)) < 1e-3, "group ",
                      group, " element ", i, " is ", values[i]);
  }
  return tutti_context_message(context);
}

} // namespace

TEST_P(GroupsOfRanks, disjoint_groups_of_one_number_work_at_once) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              auto members = remainder_class(context, rank % 2, 2);
              tutti_create_group(context, 0, 1, int64_t(members.size()), members.data());
              COMPLAIN_UNLESS(tutti_group_rank(context, 1) == rank / 2, "own number");
              COMPLAIN_UNLESS(tutti_group_size(context, 1) == int64_t(members.size()), "size");
              std::string complaint;
              for (int round = 0; round < 3; ++round)
                complaint += check_sum(context, 1, members);
              tutti_destroy_group(context, 0, 1);
              COMPLAIN_UNLESS(tutti_group_rank(context, 1) == -1, "it is gone");
              return complaint + tutti_context_message(context);
            }),
            "");
}

TEST_P(GroupsOfRanks, ranks_outside_do_nothing) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              std::vector<int64_t> members = {tutti_context_size(context) - 1};
              tutti_create_group(context, 0, 7, 1, members.data());
              bool is_member = rank == members[0];
              COMPLAIN_UNLESS(tutti_group_size(context, 7) == is_member, "size");
              float value = 2;
              void *buffer = &value;
              int64_t one = 1;
              tutti_all_reduce(context, 0, 7, TUTTI_SUM, TUTTI_F32, 1, &buffer, &buffer, &one);
              tutti_barrier(context, 0, 7);
              COMPLAIN_UNLESS(value == 2, value);
              tutti_destroy_group(context, 0, 7);
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(GroupsOfRanks, the_order_of_members_is_the_order_of_ranks) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              int32_t n = tutti_context_size(context);
              std::vector<int64_t> reversed;
              for (int32_t r = n - 1; r >= 0; --r)
                reversed.push_back(r);
              tutti_create_group(context, 0, 2, n, reversed.data());
              COMPLAIN_UNLESS(tutti_group_rank(context, 2) == n - 1 - rank, "own number");
              COMPLAIN_UNLESS(tutti_translate_rank(context, 0, rank, 2) == n - 1 - rank, "to");
              COMPLAIN_UNLESS(tutti_translate_rank(context, 2, 0, 0) == n - 1, "from");
              COMPLAIN_UNLESS(tutti_translate_rank(context, 0, n, 2) == -1, "beyond the end");
              std::vector<int32_t> all(n);
              const void *source = &rank;
              void *destination = all.data();
              int64_t one = 1;
              tutti_all_gather(context, 0, 2, TUTTI_I32, 1, &source, &destination, &one);
              for (int32_t r = 0; r < n; ++r)
                COMPLAIN_UNLESS(all[r] == n - 1 - r, "part ", r, " is ", all[r]);
              tutti_broadcast(context, 0, 2, 0, TUTTI_I32, 1, &source, &destination, &one);
              COMPLAIN_UNLESS(all[0] == n - 1, "the first member is the last rank");
              tutti_destroy_group(context, 0, 2);
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(GroupsOfRanks, overlapping_groups_and_the_world_take_turns) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              int32_t n = tutti_context_size(context);
              auto pair = std::vector<int64_t>{rank / 2 * 2};
              if (pair[0] + 1 < n)
                pair.push_back(pair[0] + 1);
              auto across = remainder_class(context, rank % 2, 2);
              std::vector<int64_t> everyone(n);
              for (int32_t r = 0; r < n; ++r)
                everyone[r] = r;
              tutti_create_group(context, 0, 1, int64_t(pair.size()), pair.data());
              tutti_create_group(context, 0, 2, int64_t(across.size()), across.data());
              std::string complaint;
              for (int round = 0; round < 4; ++round)
                complaint += check_sum(context, 1, pair) + check_sum(context, 2, across) +
                             check_sum(context, 0, everyone);
              tutti_destroy_group(context, 0, 2);
              tutti_destroy_group(context, 0, 1);
              return complaint;
            }),
            "");
}

TEST_P(GroupsOfRanks, numbers_and_members_are_reused_many_times) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              std::string complaint;
              auto members = remainder_class(context, rank % 2, 2);
              for (int round = 0; round < 12 && complaint.empty(); ++round) {
                tutti_create_group(context, 0, 3, int64_t(members.size()), members.data());
                complaint = check_sum(context, 3, members);
                tutti_destroy_group(context, 0, 3);
              }
              return complaint + tutti_context_message(context);
            }),
            "");
}

TEST_P(GroupsOfRanks, the_node_is_known) {
  int32_t nodes = std::max(1, GetParam().nodes);
  EXPECT_EQ(run([nodes](tutti_context *context, int32_t rank) -> std::string {
              int32_t part = tutti_context_size(context) / nodes;
              COMPLAIN_UNLESS(tutti_local_size(context) == part, tutti_local_size(context));
              COMPLAIN_UNLESS(tutti_local_rank(context) == rank % part, tutti_local_rank(context));
              return "";
            }),
            "");
}

TEST_P(GroupsOfRanks, memory_serves_those_who_share_a_node) {
  if (GetParam().nodes == 0)
    GTEST_SKIP() << "one backend serves all groups";
  int32_t nodes = GetParam().nodes;
  std::string name = GetParam().name;
  EXPECT_EQ(run([=](tutti_context *context, int32_t rank) -> std::string {
              int32_t n = tutti_context_size(context), part = n / nodes;
              int64_t near[] = {rank / 2 * 2, rank / 2 * 2 + 1};
              int64_t far[] = {rank % part, rank % part + n - part};
              tutti_create_group(context, 0, 1, 2, near);
              tutti_create_group(context, 0, 2, nodes > 1 ? 2 : 1, far);
              std::string world = tutti_context_group_backend(context, 0);
              std::string inside = tutti_context_group_backend(context, 1);
              std::string across = tutti_context_group_backend(context, 2);
              tutti_destroy_group(context, 0, 2);
              tutti_destroy_group(context, 0, 1);
              COMPLAIN_UNLESS(world == (nodes > 1 ? name : "shm"), "the world uses ", world);
              COMPLAIN_UNLESS(inside == "shm", "ranks of a node use ", inside);
              bool takes_part = nodes > 1 && (rank < part || rank >= n - part);
              COMPLAIN_UNLESS(!takes_part || across == name, "ranks of two nodes use ", across);
              return tutti_context_message(context);
            }),
            "");
}

CONFORMANCE_SUITE(GroupsOfRanks);
