// Whoever waits for long tells what the servers say, and no longer than it waits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/WaitReporter.h"

#include "runtime/engine/core/Context.h"
#include "test/runtime/RankForks.h"
#include "tutti/collectives.h"

#include <atomic>
#include <cstdio>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tutti::runtime;
using testing::HasSubstr;

namespace {

/// A row service that tells of waits, and does nothing else.
struct Teller {
  explicit Teller(const char *told) : told(told) {
    service.struct_bytes = sizeof service;
    service.self = service.teller = this;
    service.pull = [](void *, const tutti_row_list *, int64_t, void *const *, char *, int64_t) {
      return 0;
    };
    service.push = [](void *, const tutti_row_list *, const void *, const void *, int64_t, char *,
                      int64_t) { return 0; };
    service.tell_waits = [](void *self, char *text, int64_t bytes) {
      auto &teller = *static_cast<Teller *>(self);
      ++teller.asked;
      std::snprintf(text, size_t(bytes), "%s", teller.told);
    };
  }

  const char *told;
  std::atomic<int64_t> asked{0};
  tutti_row_service service = {};
};

/// What is printed while a wait of `kind` lasts six times as long as the limit.
std::string printed(Teller &teller, WaitReporter::Kind kind) {
  tutti_context context;
  context.rank = 1;
  context.size = 3;
  context.step = 4;
  context.limits.stall_warning = 0.05;
  context.plan = {"", "pull_rows of table 'w' for emb"};
  testing::internal::CaptureStderr();
  {
    WaitReporter reporter(context, teller.service);
    WaitReporter::Scope wait(&reporter, WaitReporter::caller, kind, /*plan_entry=*/1);
    usleep(300000);
  }
  return testing::internal::GetCapturedStderr();
}

} // namespace

TEST(WaitReporter, warns_once_of_a_pull_that_takes_long) {
  Teller teller("server 0: worker 1 waits");
  EXPECT_EQ(printed(teller, WaitReporter::Kind::pull),
            "tutti: warning: rank 1 of 3, step 4, plan entry 1 (pull_rows of table 'w' for emb): "
            "waited 0.05 s for rows; at the servers: server 0: worker 1 waits\n");
  EXPECT_EQ(teller.asked, 1);
}

TEST(WaitReporter, warns_of_a_pull_that_no_server_knows_of) {
  Teller teller("");
  EXPECT_THAT(printed(teller, WaitReporter::Kind::pull), HasSubstr("waited 0.05 s for rows\n"));
}

TEST(WaitReporter, adds_to_a_collective_who_waits_at_a_server) {
  Teller teller("server 0: worker 2 waits"), silent("");
  EXPECT_THAT(printed(teller, WaitReporter::Kind::collective),
              HasSubstr("others wait for rows; at the servers: server 0: worker 2 waits\n"));
  EXPECT_EQ(printed(silent, WaitReporter::Kind::collective), "");
}

TEST(WaitReporter, says_nothing_of_short_waits) {
  Teller teller("server 0: worker 1 waits");
  tutti_context context;
  context.limits.stall_warning = 0.2;
  WaitReporter reporter(context, teller.service);
  for (int turn = 0; turn < 30; ++turn) {
    WaitReporter::Scope wait(&reporter, WaitReporter::beside, WaitReporter::Kind::pull, turn);
    usleep(10000);
  }
  EXPECT_EQ(teller.asked, 0);
}

/// Rank 0 waits in a collective, and gives up, while rank 1 is elsewhere.
TEST(WaitReporter, the_error_of_a_stall_has_it_too) {
  RankForks forks;
  forks.ranks = 2;
  forks.stall_error = 0.3;
  int has_given_up[2];
  ASSERT_EQ(pipe(has_given_up), 0);
  forks.disturb = [&](const shm::Segment &segment, const std::vector<int> &) {
    for (int turn = 0; turn < 3000 && segment.aborted().kind == shm::AbortKind::none; ++turn)
      usleep(10000);
    ASSERT_EQ(write(has_given_up[1], "x", 1), 1);
  };
  std::string complaints = forks.run([&](tutti_context *context, int32_t rank) -> std::string {
    Teller teller("server 1: worker 1 waits in step 0");
    tutti_context_set_rows(context, &teller.service);
    char word;
    if (rank == 1 && read(has_given_up[0], &word, 1) != 1)
      return "nobody gave up";
    tutti_barrier(context, 0, 0);
    std::string message = tutti_context_message(context);
    tutti_context_set_rows(context, nullptr); // before the teller goes
    return message;
  });
  EXPECT_THAT(complaints, HasSubstr("; at the servers: server 1: worker 1 waits in step 0"));
}
