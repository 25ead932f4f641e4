// How a rank waits for others: it spins for a short time, then yields, then sleeps. Every wait
// notices that a peer has died, and has a time limit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_WAIT_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_WAIT_H

#include "runtime/engine/backends/shm/segment/Segment.h"
#include "runtime/support/Stopwatch.h"
#include "tutti/context.h"

namespace tutti::runtime::shm {

/// What a rank waits for.
class Condition {
public:
  virtual ~Condition() = default;
  /// Never called again once it was true: it may have taken a lock.
  virtual bool is_met() = 0;
  /// "rank 2 (process 77, ...); rank 1 has arrived": what a stalled rank says after "waited for".
  virtual std::string missing() const = 0;
  /// The slot of a rank without which it cannot be met, or -1.
  virtual int64_t awaited() const = 0;
  /// True for the one rank that may warn of this stall.
  virtual bool may_warn() = 0;
};

/// The ways and limits of waiting of one rank.
struct WaitPolicy {
  explicit WaitPolicy(const tutti_limits &limits) : limits(limits) {}

  const tutti_limits limits;
  /// Turns of polling before others get the processor: few if there are more busy threads than
  /// processors.
  std::atomic<int64_t> spins{spins_if_crowded};

  static constexpr int64_t spins_if_crowded = 1;
  static constexpr int64_t spins_otherwise = 500;
};

/// One wait in `doorbell` of `segment`; `plan_entry` is for messages.
class Wait {
public:
  Wait(const Segment &segment, Doorbell &doorbell, const WaitPolicy &wait_policy,
       tutti_context *context, int64_t plan_entry)
      : segment(segment), doorbell(doorbell), wait_policy(wait_policy), context(context),
        plan_entry(plan_entry) {}

  /// Returns TUTTI_OK once the condition is met; otherwise `context` has the reason.
  int32_t until(Condition &condition);
  /// The same without spinning, for callers that have spun already.
  int32_t yield_until(Condition &condition);

private:
  bool yield(Condition &condition) const;
  int32_t sleep(Condition &condition);
  int32_t check_time(double seconds, Condition &condition);
  int32_t stop();
  void look_after_awaited(double seconds, const Condition &condition);

  const Segment &segment;
  Doorbell &doorbell;
  const WaitPolicy &wait_policy;
  tutti_context *context;
  int64_t plan_entry;
  Stopwatch watch;
  bool has_warned = false;
  double looked_at = 0; ///< whether the awaited rank lives
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_WAIT_H
