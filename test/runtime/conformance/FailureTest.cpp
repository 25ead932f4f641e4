// What ranks do when something goes wrong elsewhere: they stop soon, and say who and where.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/Fork.h"
#include "test/runtime/RankForks.h"
#include "tutti/collectives.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tutti::runtime;
using testing::HasSubstr;
using testing::Not;

namespace {

int32_t all_reduce(tutti_context *context, int64_t plan_entry, int64_t elements) {
  std::vector<float> values(elements, 1.0f);
  void *memory = values.data();
  tutti_all_reduce(context, plan_entry, 0, TUTTI_SUM, TUTTI_F32, 1, &memory, &memory, &elements);
  return tutti_context_status(context);
}

int32_t all_to_all(tutti_context *context, int64_t plan_entry, int64_t elements) {
  std::vector<float> values(elements * tutti_context_size(context), 1.0f), got(values.size());
  const void *source = values.data();
  void *destination = got.data();
  tutti_all_to_all(context, plan_entry, 0, TUTTI_F32, 1, &source, &destination, &elements);
  return tutti_context_status(context);
}

/// Small buffers, large ones that peers read where they lie, and large ones that are staged.
struct KilledCase {
  const char *name;
  int32_t (*call)(tutti_context *context, int64_t plan_entry, int64_t elements);
  int64_t elements;
  bool is_staged;
};
class FailureOfKilled : public testing::TestWithParam<KilledCase> {};

} // namespace

TEST_P(FailureOfKilled, a_killed_rank_is_named_by_all_others) {
  RankForks forks;
  forks.ranks = 4;
  forks.is_staged = GetParam().is_staged;
  forks.disturb = [](const shm::Segment &segment, const std::vector<int> &pids) {
    while (segment.slot(2).step.load() < 3)
      usleep(1000);
    kill(pids[2], SIGKILL); // the launcher's part: notice, and mark
    siginfo_t info;
    waitid(P_PID, pids[2], &info, WEXITED | WNOWAIT);
    segment.abort({shm::AbortKind::killed, 2, SIGKILL});
  };
  std::string complaints = forks.run([](tutti_context *context, int32_t) -> std::string {
    tutti_context_describe_plan_entry(context, 7, "all_reduce mean of fc.weight");
    for (int64_t step = 0; GetParam().call(context, 7, GetParam().elements) == TUTTI_OK; ++step)
      tutti_context_set_step(context, step);
    return text(tutti_status_name(tutti_context_status(context)), ": ",
                tutti_context_message(context));
  });
  for (int rank : {0, 1, 3})
    EXPECT_THAT(complaints, HasSubstr(text("rank ", rank, ": a rank died: rank 2 (process ")));
  EXPECT_THAT(complaints, HasSubstr("was killed by signal 9 (Killed) at step "));
  EXPECT_THAT(complaints, HasSubstr("plan entry 7 (all_reduce mean of fc.weight)"));
  EXPECT_THAT(complaints, HasSubstr("rank 2: ended by signal 9"));
}

TEST_P(FailureOfKilled, a_rank_that_died_is_named_where_no_launcher_tells) {
  RankForks forks;
  forks.ranks = 4;
  forks.is_staged = GetParam().is_staged;
  forks.disturb = [](const shm::Segment &segment, const std::vector<int> &pids) {
    while (segment.slot(2).step.load() < 3)
      usleep(1000);
    kill(pids[2], SIGKILL); // and its parent does not reap it before the others have ended
  };
  std::string complaints = forks.run([](tutti_context *context, int32_t) -> std::string {
    for (int64_t step = 0; GetParam().call(context, 7, GetParam().elements) == TUTTI_OK; ++step)
      tutti_context_set_step(context, step);
    return text(tutti_status_name(tutti_context_status(context)), ": ",
                tutti_context_message(context));
  });
  for (int rank : {0, 1, 3})
    EXPECT_THAT(complaints, HasSubstr(text("rank ", rank, ": a rank died: rank 2 (process ")));
  EXPECT_THAT(complaints, HasSubstr(") died at step "));
}

INSTANTIATE_TEST_SUITE_P(Buffers, FailureOfKilled,
                         testing::Values(KilledCase{"small", all_reduce, 1000, false},
                                         KilledCase{"read", all_to_all, 1000000, false},
                                         KilledCase{"staged", all_reduce, 2000000, true}),
                         [](const auto &info) { return info.param.name; });

TEST(Failure, a_source_that_ends_early_is_told_by_who_reads_it) {
  if (!can_forks_read_each_other())
    GTEST_SKIP() << "the system lets no process read another";
  RankForks forks;
  forks.ranks = 2;
  std::string complaints = forks.run([](tutti_context *context, int32_t rank) -> std::string {
    constexpr int64_t bytes = 1 << 20;
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int64_t turn = 0; turn < 2; ++turn)
      tutti_barrier(context, 0, TUTTI_GROUP_WORLD); // then all know what they can read
    if (rank == 1)                                  // the half that rank 0 reduces
      mprotect(memory, bytes / 2, PROT_NONE);
    int64_t elements = bytes / 4;
    tutti_all_reduce(context, 7, 0, TUTTI_SUM, TUTTI_F32, 1, &memory, &memory, &elements);
    return text(tutti_status_name(tutti_context_status(context)), ": ",
                tutti_context_message(context));
  });
  EXPECT_THAT(complaints, HasSubstr("plan entry 7: cannot read "));
  EXPECT_THAT(complaints, HasSubstr(" bytes of rank 1 (process "));
  EXPECT_THAT(complaints, HasSubstr("): Bad address"));
  EXPECT_THAT(complaints, HasSubstr(text("rank 1: ", tutti_status_name(TUTTI_PEER_FAILED))));
}

TEST(Failure, a_table_lock_of_a_dead_rank_is_an_error_that_names_it) {
  RankForks forks;
  forks.ranks = 3;
  forks.disturb = [](const shm::Segment &segment, const std::vector<int> &pids) {
    while (segment.slot(0).step.load() < 1 || segment.slot(1).step.load() < 1)
      usleep(1000);
    segment.control().table_lock.store(1 + 2); // as if rank 2 died inside
    kill(pids[2], SIGKILL);
  };
  std::string complaints = forks.run([](tutti_context *context, int32_t rank) -> std::string {
    const int64_t both[] = {0, 1};
    tutti_create_group(context, 0, 5, 2, both);
    tutti_context_set_step(context, 1);
    if (rank == 2)
      pause();
    usleep(300000); // until the lock is taken
    if (rank == 0)  // leaves its teams only: no context can tell of an error there
      return "";
    tutti_destroy_group(context, 8, 5);
    tutti_create_group(context, 9, 5, 2, both);
    return text(tutti_status_name(tutti_context_status(context)), ": ",
                tutti_context_message(context));
  });
  EXPECT_THAT(complaints, HasSubstr("rank 1: a rank died: rank 2 (process "));
  EXPECT_THAT(complaints, Not(HasSubstr("rank 0:")));
}

TEST(Failure, an_error_of_one_rank_stops_the_others_with_its_message) {
  RankForks forks;
  forks.ranks = 3;
  std::string complaints = forks.run([](tutti_context *context, int32_t rank) -> std::string {
    if (rank == 1)
      tutti_context_fail(context, TUTTI_BAD_DATA, "the disk is full of sand");
    else
      all_reduce(context, 0, 10);
    return text(tutti_context_status(context), " ", tutti_context_message(context));
  });
  std::string peer = text(int(TUTTI_PEER_FAILED), " rank 1 failed: the disk is full of sand");
  EXPECT_THAT(complaints, HasSubstr("rank 0: " + peer));
  EXPECT_THAT(complaints, HasSubstr("rank 2: " + peer));
}

TEST(Failure, a_stall_ends_with_the_missing_rank_named) {
  RankForks forks;
  forks.ranks = 3;
  forks.stall_error = 0.2;
  std::string complaints = forks.run([](tutti_context *context, int32_t rank) -> std::string {
    tutti_context_set_step(context, 5);
    if (rank == 2) // alive, but not coming
      while (tutti_context_status(context) == TUTTI_OK) {
        usleep(1000000);
        all_reduce(context, 1, 10);
      }
    else
      all_reduce(context, 0, 10);
    return text(tutti_context_status(context), " ", tutti_context_message(context));
  });
  EXPECT_THAT(complaints, HasSubstr(text(" ", int(TUTTI_STALLED), " rank ")));
  EXPECT_THAT(complaints, HasSubstr("step 5, plan entry 0: waited 0.2 s for rank 2 (process "));
}

TEST(Failure, ranks_in_different_plan_entries_both_see_both) {
  RankForks forks;
  forks.ranks = 2;
  std::string complaints = forks.run([](tutti_context *context, int32_t rank) -> std::string {
    tutti_context_describe_plan_entry(context, 0, "all_reduce sum of a");
    tutti_context_describe_plan_entry(context, 1, "all_reduce sum of b");
    all_reduce(context, rank, 10);
    return tutti_context_message(context);
  });
  EXPECT_THAT(complaints, HasSubstr("rank 0 is in plan entry 0 (all_reduce sum of a), rank 1 in "
                                    "plan entry 1 (all_reduce sum of b)"));
  EXPECT_THAT(complaints, HasSubstr("rank 1 is in plan entry 1 (all_reduce sum of b), rank 0 in "
                                    "plan entry 0 (all_reduce sum of a)"));
}

TEST(Failure, different_sizes_in_one_plan_entry_are_noticed) {
  RankForks forks;
  forks.ranks = 2;
  std::string complaints = forks.run([](tutti_context *context, int32_t rank) -> std::string {
    all_reduce(context, 0, 10 + rank);
    return tutti_context_message(context);
  });
  EXPECT_THAT(complaints, HasSubstr("with another kind, type, reduction or size"));
}

TEST(Failure, different_plans_stop_before_step_0_with_both_entries) {
  RankForks forks;
  forks.ranks = 3;
  std::string complaints = forks.run([](tutti_context *context, int32_t rank) -> std::string {
    std::string plan = "all_reduce w\n";
    plan += rank == 2 ? "broadcast b\n" : "all_reduce b\n";
    tutti_context_exchange_plan(context, "f", plan.c_str());
    return text(tutti_context_status(context), " ", tutti_context_message(context));
  });
  for (int rank : {0, 1, 2})
    EXPECT_THAT(complaints,
                HasSubstr(text("rank ", rank, ": ", int(TUTTI_PLAN_MISMATCH),
                               " the ranks would not run the same program: line 1 of the "
                               "communication plan: rank 0 has 'all_reduce b', rank 2 has "
                               "'broadcast b'")));
}

TEST(Failure, a_shorter_plan_and_another_fingerprint_are_noticed) {
  RankForks forks;
  forks.ranks = 2;
  std::string complaints = forks.run([](tutti_context *context, int32_t rank) -> std::string {
    tutti_context_exchange_plan(context, "f", rank == 0 ? "a\nb\n" : "a\n");
    return tutti_context_message(context);
  });
  EXPECT_THAT(complaints, HasSubstr("rank 0 has 'b', rank 1 has no such entry"));
  complaints = forks.run([](tutti_context *context, int32_t rank) -> std::string {
    tutti_context_exchange_plan(context, rank == 0 ? "f0" : "f1", "a\n");
    return tutti_context_message(context);
  });
  EXPECT_THAT(complaints, HasSubstr("fingerprint: rank 0 has f0, rank 1 has f1"));
}

TEST(Failure, different_versions_of_the_library_are_noticed) {
  RankForks forks;
  forks.ranks = 2;
  std::string complaints = forks.run([](tutti_context *context, int32_t rank) -> std::string {
    if (rank == 0) {
      tutti_context_exchange_plan(context, "f", "a\n");
      return tutti_context_message(context);
    }
    char card[256] = "99.0.0", all[512]; // as another version would show itself
    const void *source = card;
    void *destination = all;
    int64_t bytes = sizeof card;
    tutti_all_gather(context, -1, 0, TUTTI_U8, 1, &source, &destination, &bytes);
    return "";
  });
  EXPECT_THAT(complaints, HasSubstr(text("version of the library: rank 0 has ", tutti_version(),
                                         ", rank 1 has 99.0.0")));
}

TEST(Failure, an_arena_that_is_too_small_says_so) {
  RankForks forks;
  forks.arena_bytes = 4096;
  std::string complaints = forks.run([](tutti_context *context, int32_t) -> std::string {
    void *memory = nullptr;
    tutti_context_alloc(context, 5000, &memory);
    return tutti_context_message(context);
  });
  EXPECT_THAT(complaints, HasSubstr("needs 5000 bytes of shared memory, but only 4096 of 4096"));
}
