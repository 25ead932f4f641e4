// How far the workers of a table are, and which of them are there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STEPS_WORKERSTEPS_H
#define TUTTI_RUNTIME_SERVERS_STEPS_WORKERSTEPS_H

#include "runtime/support/Error.h"

#include <vector>

namespace tutti::runtime::servers {

/// What a pull waits for.
enum class Due {
  in_turn, ///< what the mode promises a worker before its step
  settled  ///< all pushes of the steps before, but of workers that are gone
};

/// Whether a worker is at the table.
enum class Presence {
  here,
  away, ///< it has died, and is started again: saves and settle() wait for it, its peers do not
  gone  ///< it is done, or has died for good: nobody waits for it
};

/// By worker. Steps count from 0. One thread at a time.
struct WorkerSteps {
  explicit WorkerSteps(int64_t workers) : pushed(workers), presence(workers, Presence::here) {}

  int64_t count() const { return int64_t(pushed.size()); }
  bool has(int64_t worker) const { return worker >= 0 && worker < count(); }
  /// Why there is no such worker, if there is none.
  Error check(int64_t worker) const;

  bool is_awaited(int64_t worker, Due due) const;
  /// Steps that all who are awaited have pushed in; many if nobody is.
  int64_t of_slowest(Due due) const;
  /// Steps that all have pushed in, whether they are here or not.
  int64_t of_all() const;
  /// By how many steps `worker` is ahead in step `step` of the slowest of the others.
  int64_t ahead(int64_t worker, int64_t step) const;
  /// "the push of worker 2 in step 4, the pushes of worker 3 in steps 2 to 4": those that are
  /// awaited up to step `last`.
  std::string missing(int64_t last, Due due) const;

  std::vector<int64_t> pushed; ///< in how many steps
  std::vector<Presence> presence;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STEPS_WORKERSTEPS_H
