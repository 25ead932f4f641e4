// Teams in shared memory: joining, leaving, memory of both kinds in one call, and what is said when
// members disagree.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/RankForks.h"
#include "tutti/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <unistd.h>

using namespace tutti::runtime;
using testing::HasSubstr;

namespace {

RankForks team(int32_t ranks, bool is_staged = false) {
  RankForks forks;
  forks.ranks = ranks;
  forks.is_staged = is_staged;
  return forks;
}

/// Floats in shared memory if `is_shared`, else in `keep`.
float *floats(tutti_context *context, bool is_shared, int64_t count, std::vector<float> &keep) {
  void *memory = nullptr;
  if (is_shared)
    tutti_context_alloc(context, count * int64_t(sizeof(float)), &memory);
  keep.resize(is_shared ? 0 : count);
  return is_shared ? static_cast<float *>(memory) : keep.data();
}

float value(int64_t rank, int64_t i) { return float(rank * 1000 + i % 911); }

/// Both ways of private buffers.
class TeamMemories : public testing::TestWithParam<bool> {};

/// Sizes on both sides of every limit: posted, whole, in several chunks.
constexpr int64_t sizes[] = {0, 1, 1024, 1025, 5000, 40000, 300001};

} // namespace

TEST(Team, is_free_again_when_the_last_has_left) {
  EXPECT_EQ(team(2).run([](tutti_context *context, int32_t) -> std::string {
    int64_t ranks[] = {0, 1};
    for (int64_t turn = 0; turn < shm::most_teams + 100; ++turn) {
      tutti_create_group(context, 0, 1, 2, ranks);
      if (turn % 64 == 0)
        tutti_barrier(context, 0, 1);
      tutti_destroy_group(context, 0, 1);
    }
    return tutti_context_message(context);
  }),
            "");
}

TEST(Team, begins_empty_where_another_ended) {
  EXPECT_EQ(team(2).run([](tutti_context *context, int32_t rank) -> std::string {
    int64_t ranks[] = {1, 0};
    for (int64_t turn = 0; turn < 20; ++turn) {
      tutti_create_group(context, 0, 1, 2, ranks);
      float mine = float(rank + turn);
      void *memory = &mine;
      int64_t one = 1;
      tutti_all_reduce(context, 0, 1, TUTTI_SUM, TUTTI_F32, 1, &memory, &memory, &one);
      if (mine != float(1 + 2 * turn))
        return text("turn ", turn, " gave ", mine);
      tutti_destroy_group(context, 0, 1);
    }
    return tutti_context_message(context);
  }),
            "");
}

TEST(Team, cannot_be_made_when_there_are_too_many) {
  EXPECT_THAT(team(1).run([](tutti_context *context, int32_t) -> std::string {
    int64_t self = 0;
    for (int64_t number = 1; number <= shm::most_teams; ++number)
      tutti_create_group(context, 0, number, 1, &self);
    return tutti_context_message(context);
  }),
              HasSubstr("there can be 1024 groups in shared memory at once"));
}

TEST_P(TeamMemories, are_reduced_whatever_they_are) {
  for (int32_t ranks : {2, 3, 4})
    EXPECT_EQ(
        team(ranks, GetParam()).run([ranks](tutti_context *context, int32_t rank) -> std::string {
          for (int64_t count : sizes)
            for (int64_t mix = 0; mix < 16; ++mix) {
              std::vector<float> keep_in, keep_out;
              bool shares_source = (mix >> (rank % 2)) & 1;
              bool shares_destination = (mix >> (2 + rank % 2)) & 1;
              float *in = floats(context, shares_source, count, keep_in);
              float *out = mix % 3 == 0 && shares_source == shares_destination
                               ? in
                               : floats(context, shares_destination, count, keep_out);
              if (tutti_context_status(context) != TUTTI_OK)
                return tutti_context_message(context);
              for (int64_t i = 0; i < count; ++i)
                in[i] = value(rank, i);
              const void *source = in;
              void *destination = out;
              tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_F32, 1, &source, &destination,
                               &count);
              for (int64_t i = 0; i < count; ++i) {
                float sum = 0;
                for (int64_t peer = 0; peer < ranks; ++peer)
                  sum += value(peer, i);
                if (out[i] != sum)
                  return text(count, " elements, mix ", mix, ": element ", i, " is ", out[i],
                              " not ", sum);
              }
            }
          return tutti_context_message(context);
        }),
        "")
        << ranks;
}

TEST_P(TeamMemories, are_moved_whatever_they_are) {
  EXPECT_EQ(team(3, GetParam()).run([](tutti_context *context, int32_t rank) -> std::string {
    constexpr int64_t ranks = 3;
    for (int64_t count : sizes)
      for (int64_t mix = 0; mix < 4; ++mix) {
        std::vector<float> keep_in, keep_out;
        float *in = floats(context, (mix >> (rank % 2)) & 1, ranks * count, keep_in);
        float *out = floats(context, (mix >> (rank % 2)) & 1, ranks * count, keep_out);
        if (tutti_context_status(context) != TUTTI_OK)
          return tutti_context_message(context);
        for (int64_t i = 0; i < ranks * count; ++i)
          in[i] = value(rank, i);
        const void *source = in;
        void *destination = out;
        tutti_all_to_all(context, 0, 0, TUTTI_F32, 1, &source, &destination, &count);
        for (int64_t i = 0; i < ranks * count; ++i)
          if (out[i] != value(i / count, rank * count + i % count))
            return text("all_to_all of ", count, ", mix ", mix, ": element ", i);
        tutti_scatter(context, 0, 0, 1, TUTTI_F32, 1, &source, &destination, &count);
        for (int64_t i = 0; i < count; ++i)
          if (out[i] != value(1, rank * count + i))
            return text("scatter of ", count, ", mix ", mix, ": element ", i);
        tutti_all_to_all(context, 0, 0, TUTTI_F32, 1, const_cast<const void **>(&destination),
                         &destination, &count); // in place
      }
    return tutti_context_message(context);
  }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Private, TeamMemories, testing::Bool(),
                         [](const auto &info) { return info.param ? "staged" : "read"; });

TEST(Team, ranks_of_one_process_run_beside_each_other) {
  auto segment = shm::Segment::create(3, 1 << 20);
  ASSERT_TRUE(segment);
  std::string connection = text("descriptor=", segment->descriptor());
  std::vector<std::string> complaints(3);
  std::vector<std::thread> threads;
  for (int32_t rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      tutti_context_options options = {};
      options.struct_bytes = sizeof options;
      options.backend = tutti_backend_shm();
      options.connection = connection.c_str();
      options.rank = rank;
      options.size = 3;
      tutti_context *context = nullptr;
      tutti_context_create(&options, &context);
      std::vector<float> values(5000, float(rank));
      void *memory = values.data();
      int64_t count = int64_t(values.size());
      for (int64_t turn = 0; turn < 20; ++turn)
        tutti_all_reduce(context, 0, 0, TUTTI_MAX, TUTTI_F32, 1, &memory, &memory, &count);
      complaints[rank] = tutti_context_message(context);
      if (values != std::vector<float>(5000, 2.0f))
        complaints[rank] += "wrong maximum";
      tutti_context_destroy(context);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(complaints, std::vector<std::string>(3));
}

TEST(Team, tells_what_both_sides_do) {
  std::string complaints = team(2).run([](tutti_context *context, int32_t rank) -> std::string {
    float values[16] = {};
    void *memory = values;
    int64_t count = 4 + rank;
    if (rank == 0)
      tutti_all_reduce(context, 3, 0, TUTTI_SUM, TUTTI_F32, 1, &memory, &memory, &count);
    else
      tutti_broadcast(context, 3, 0, 1, TUTTI_F64, 1, &memory, &memory, &count);
    return tutti_context_message(context);
  });
  EXPECT_THAT(complaints, HasSubstr("all_reduce sum of 4 f32 here, broadcast with root 1 of 5 f64 "
                                    "there"));
  EXPECT_THAT(complaints, HasSubstr("broadcast with root 1 of 5 f64 here, all_reduce sum of 4 f32 "
                                    "there"));
}

TEST(Team, tells_who_sends_what_nobody_expects) {
  std::string complaints = team(2).run([](tutti_context *context, int32_t rank) -> std::string {
    float from[8] = {}, to[8] = {};
    int64_t send[] = {1, 2}, receive[] = {1, rank == 0 ? 2 : 1}, zero[] = {0, 0},
            expected[] = {1, 1};
    tutti_all_to_all_v(context, 0, 0, TUTTI_F32, 1, from, 8, to, 8, send, zero,
                       rank == 0 ? receive : expected, zero);
    return tutti_context_message(context);
  });
  EXPECT_THAT(complaints, HasSubstr("rank 0 sends 2 elements to rank 1, which expects 1"));
}

TEST(Team, a_stall_names_those_who_are_here_too) {
  RankForks forks = team(3);
  forks.stall_error = 0.3;
  std::string complaints = forks.run([](tutti_context *context, int32_t rank) -> std::string {
    tutti_context_describe_plan_entry(context, 6, "barrier of the evening");
    tutti_barrier(context, 6, 0);
    for (int64_t turn = 0; rank == 1 && turn < 100; ++turn)
      if (tutti_context_status(context) == TUTTI_OK)
        usleep(10000);
    tutti_barrier(context, 7, 0);
    return tutti_context_message(context);
  });
  EXPECT_THAT(complaints, HasSubstr("last seen in plan entry 6 (barrier of the evening)); rank 0, "
                                    "rank 2 have arrived"));
}
