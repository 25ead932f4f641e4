// How ranks wait for each other: briefly spinning, then yielding, then asleep; never deaf to a dead
// peer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_SHM_BARRIER_H
#define TUTTI_RUNTIME_BACKENDS_SHM_BARRIER_H

#include "runtime/backends/shm/Segment.h"
#include "tutti/backend.h"

namespace tutti::runtime::shm {

/// How long a wait may take before someone says so, and before everyone stops. Seconds.
struct StallLimits {
  double warning = 10;
  double error = 300;
};

/// The barrier of one rank over all ranks of a segment. Reaching it publishes all writes before it
/// to all who leave it.
class Barrier {
public:
  /// `busy_threads`: threads that want a processor on this machine during the run; with more of
  /// them than processors nobody spins.
  Barrier(Segment &segment, int64_t rank, StallLimits limits, int64_t busy_threads);

  /// Returns TUTTI_OK when every rank has arrived; otherwise `context` has the reason. `plan_entry`
  /// is for messages.
  int32_t wait(tutti_context *context, int64_t plan_entry);

private:
  struct Waiting;
  bool has_arrived(int64_t peer) const;
  bool all_arrived() const;
  bool spin() const;
  bool yield() const;
  int32_t sleep(Waiting &waiting);
  void doze() const;
  int32_t check_time(Waiting &waiting);
  void warn(const Waiting &waiting, double seconds);
  std::string missing_ranks() const;
  int32_t stop(const Waiting &waiting);

  Segment &segment;
  int64_t rank;
  StallLimits limits;
  int64_t spins;
  uint64_t epoch = 0;
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_BACKENDS_SHM_BARRIER_H
