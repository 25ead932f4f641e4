// The three stages of a wait, and its two ends: a stall, or a peer that is gone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/segment/Wait.h"

#include "runtime/engine/core/Context.h"
#include "runtime/waiting/Doorbell.h"

#include <cstdio>
#include <sched.h>

namespace tutti::runtime::shm {
namespace {

// A hand-over by spinning takes 0.03 to 0.2 us, by sched_yield 0.2 to 1.3 us, by futex some 25 us:
// spin (see WaitPolicy) for a few yields, yield for a few times what sleeping costs, then sleep.
constexpr int64_t yields_before_sleep = 200;
constexpr double seconds_before_sleep = 0.001; // where others use the time that is yielded

constexpr double seconds_between_looks = 0.2; // whether an awaited rank lives

double tenths(double seconds) { return double(int64_t(seconds * 10)) / 10; }

} // namespace

int32_t Wait::until(Condition &condition) {
  for (int64_t left = wait_policy.spins.load(std::memory_order_relaxed); left > 0; --left) {
    if (condition.is_met())
      return TUTTI_OK;
    relax();
  }
  return yield_until(condition);
}

int32_t Wait::yield_until(Condition &condition) {
  return yield(condition) ? int32_t(TUTTI_OK) : sleep(condition);
}

bool Wait::yield(Condition &condition) const {
  for (int64_t left = yields_before_sleep; left > 0; --left) {
    if (watch.seconds() > seconds_before_sleep)
      return false;
    if (condition.is_met())
      return true;
    if (segment.aborted().kind != AbortKind::none)
      return false;
    sched_yield();
  }
  return false;
}

int32_t Wait::sleep(Condition &condition) {
  for (;;) {
    // First the condition: a rank that stops the run after it must not make others fail in it.
    if (condition.is_met())
      return TUTTI_OK;
    if (segment.aborted().kind != AbortKind::none)
      return stop();
    if (int32_t status = check_time(watch.seconds(), condition))
      return status;
    look_after_awaited(watch.seconds(), condition);
    // A condition that was met is not evaluated again: it may have taken a lock.
    bool is_met = false;
    sleep_on(doorbell, [&] {
      is_met = condition.is_met();
      return is_met || segment.aborted().kind != AbortKind::none;
    });
    if (is_met)
      return TUTTI_OK;
  }
}

int32_t Wait::check_time(double seconds, Condition &condition) {
  if (seconds >= wait_policy.limits.stall_error) {
    context->fail(TUTTI_STALLED, text(context->where(plan_entry), ": waited ", tenths(seconds),
                                      " s for ", condition.missing(),
                                      ". Raise the limit for a stall if this can take so long."));
    return context->status;
  }
  if (seconds >= wait_policy.limits.stall_warning && !has_warned) {
    has_warned = true;
    if (condition.may_warn())
      std::fprintf(stderr, "tutti: warning: %s: waited %.1f s for %s\n",
                   context->where(plan_entry).c_str(), seconds, condition.missing().c_str());
  }
  return TUTTI_OK;
}

/// Launchers tell of a death, but not every run has one.
void Wait::look_after_awaited(double seconds, const Condition &condition) {
  if (seconds < looked_at + seconds_between_looks)
    return;
  looked_at = seconds;
  int64_t rank = condition.awaited();
  if (rank >= 0 && segment.is_gone(rank))
    segment.abort({AbortKind::vanished, int32_t(rank), 0});
}

int32_t Wait::stop() {
  Abort abort = segment.aborted();
  int32_t status = TUTTI_PEER_FAILED;
  if (abort.kind == AbortKind::killed || abort.kind == AbortKind::exited ||
      abort.kind == AbortKind::vanished)
    status = TUTTI_RANK_DIED;
  else if (abort.kind == AbortKind::interrupted)
    status = TUTTI_INTERRUPTED;
  context->fail(status, text(segment.abort_text(), "; stopped ", context->where(plan_entry)));
  return context->status;
}

} // namespace tutti::runtime::shm
