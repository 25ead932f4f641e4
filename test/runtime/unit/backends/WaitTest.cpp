// Waiting in shared memory: what is asked, what is said, and when it ends.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/TeamTable.h"
#include "runtime/engine/core/Context.h"
#include "runtime/waiting/Doorbell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tutti::runtime;
using namespace tutti::runtime::shm;
using testing::HasSubstr;

namespace {

/// True once, at its k-th question, as a lock is for whoever takes it. Rings its doorbell, so that
/// nobody who waits for it sleeps.
class TrueOnce : public Condition {
public:
  TrueOnce(Doorbell &doorbell, int64_t k) : doorbell(doorbell), k(k) {}
  bool is_met() override {
    ring(doorbell);
    asked_afterwards += asked >= k;
    return ++asked == k;
  }
  std::string missing() const override { return text("question ", k); }
  int64_t awaited() const override { return awaited_rank; }
  bool may_warn() override { return true; }

  int64_t asked = 0, asked_afterwards = 0;
  int64_t awaited_rank = -1;

private:
  Doorbell &doorbell;
  int64_t k;
};

tutti_limits limits_of(double warning, double error) { return {warning, error, 1}; }

constexpr int64_t never = INT64_MAX;

Segment made(int64_t ranks) {
  Result<Segment> segment = Segment::create(ranks, 0);
  return std::move(*segment);
}

/// How one wait for `condition` ended, in a segment of two ranks.
struct WaitTest : testing::Test {
  Segment segment = made(2);
  tutti_context context;

  Doorbell &doorbell() { return segment.control().table_doorbell; }
  int32_t wait(Condition &condition, const WaitPolicy &policy) {
    return Wait(segment, doorbell(), policy, &context, -1).until(condition);
  }
};

int64_t count_of(const std::string &part, const std::string &whole) {
  int64_t count = 0;
  for (size_t at = whole.find(part); at != whole.npos; at = whole.find(part, at + 1))
    ++count;
  return count;
}

} // namespace

TEST_F(WaitTest, never_asks_again_what_was_true) {
  prepare_to_sleep();
  for (int64_t spins : {WaitPolicy::spins_if_crowded, WaitPolicy::spins_otherwise})
    for (int64_t k = 1; k <= 600; ++k) {
      WaitPolicy policy(limits_of(20, 20));
      policy.spins = spins;
      TrueOnce condition(doorbell(), k);
      ASSERT_EQ(wait(condition, policy), TUTTI_OK) << "question " << k << ", spins " << spins;
      ASSERT_EQ(condition.asked_afterwards, 0) << "question " << k << ", spins " << spins;
    }
}

TEST_F(WaitTest, gives_up_at_its_limit_and_says_for_what) {
  WaitPolicy policy(limits_of(10, 0.1));
  TrueOnce condition(doorbell(), never);
  EXPECT_EQ(wait(condition, policy), TUTTI_STALLED);
  EXPECT_THAT(context.message, HasSubstr("waited 0.1 s for question"));
}

TEST_F(WaitTest, warns_once_before_it_gives_up) {
  WaitPolicy policy(limits_of(0.05, 0.3));
  TrueOnce condition(doorbell(), never);
  testing::internal::CaptureStderr();
  EXPECT_EQ(wait(condition, policy), TUTTI_STALLED);
  EXPECT_EQ(count_of("tutti: warning: ", testing::internal::GetCapturedStderr()), 1);
}

TEST_F(WaitTest, what_is_met_counts_also_in_a_run_that_stops) {
  segment.abort({AbortKind::interrupted, 0, 2});
  TrueOnce condition(doorbell(), 1);
  EXPECT_EQ(wait(condition, WaitPolicy(limits_of(10, 10))), TUTTI_OK);
}

TEST_F(WaitTest, ends_with_the_run) {
  struct {
    Abort abort;
    int32_t status;
  } cases[] = {{{AbortKind::killed, 1, 9}, TUTTI_RANK_DIED},
               {{AbortKind::exited, 1, 3}, TUTTI_RANK_DIED},
               {{AbortKind::interrupted, 0, 2}, TUTTI_INTERRUPTED},
               {{AbortKind::failed, 1, TUTTI_SYSTEM_ERROR}, TUTTI_PEER_FAILED}};
  for (const auto &one : cases) {
    Segment stopped = made(2);
    stopped.abort(one.abort);
    tutti_context own;
    WaitPolicy policy(limits_of(10, 10));
    TrueOnce condition(stopped.control().table_doorbell, never);
    Wait wait(stopped, stopped.control().table_doorbell, policy, &own, -1);
    EXPECT_EQ(wait.until(condition), one.status) << int(one.abort.kind);
    EXPECT_THAT(own.message, HasSubstr("; stopped ")) << int(one.abort.kind);
  }
}

TEST_F(WaitTest, notices_that_the_awaited_is_gone) {
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  ASSERT_GT(child, 0);
  segment.slot(1).process.store(child);
  segment.slot(1).state.store(rank_joined);
  TrueOnce condition(doorbell(), never);
  condition.awaited_rank = 1;
  EXPECT_EQ(wait(condition, WaitPolicy(limits_of(10, 10))), TUTTI_RANK_DIED);
  EXPECT_EQ(segment.aborted().kind, AbortKind::vanished);
}

TEST(TeamTable, one_rank_warns_of_a_lock_that_stalls) {
  constexpr int32_t ranks = 9;
  Segment segment = made(ranks);
  WaitPolicy policy(limits_of(0.05, 20));
  std::vector<int32_t> statuses(ranks, -1);
  // Twice, because the next who holds it too long is another stall.
  for (int32_t turn = 1; turn <= 2; ++turn) {
    segment.control().table_lock.store(1);
    testing::internal::CaptureStderr();
    std::vector<std::thread> waiting;
    for (int32_t rank = 1; rank < ranks; ++rank)
      waiting.emplace_back([&, rank] {
        tutti_context context;
        TeamTable table(segment, rank, policy);
        int32_t self = rank;
        tutti_group alone = {};
        alone.size = 1;
        alone.members = &self;
        int64_t number = -1;
        statuses[rank] = table.join(&context, alone, number);
        table.leave(number);
      });
    usleep(500000);
    notify(segment.control().table_lock, uint32_t(0), segment.control().table_doorbell);
    for (std::thread &thread : waiting)
      thread.join();
    std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(count_of("which is making or ending a group", said), 1) << said;
    EXPECT_EQ(std::vector<int32_t>(statuses.begin() + 1, statuses.end()),
              std::vector<int32_t>(ranks - 1, TUTTI_OK));
  }
}
