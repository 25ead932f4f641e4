// Running a compiled program on the ranks of this machine: one process a rank, watched until the
// last has ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_LAUNCH_LAUNCH_H
#define TUTTI_RUNTIME_HOST_LAUNCH_LAUNCH_H

#include "runtime/host/launch/Restarts.h"
#include "runtime/host/run/RunConfig.h"
#include "runtime/host/run/Summary.h"

#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime::worker {

/// How one rank ended.
struct RankResult {
  int process = 0;     ///< its process id
  int exit_status = 0; ///< if it exited
  int signal = 0;      ///< if a signal ended it, else 0
  RankSummary summary = {};
};

struct LaunchResult {
  int32_t status = 0;     ///< TUTTI_OK only if every rank finished the run, or its last step
  std::string message;    ///< the first cause: which rank, what, where
  int interrupted_by = 0; ///< the signal that stopped the run, if one did
  int asked_by = 0;       ///< the last signal that came, also if the run ended before it was heeded
  bool may_go_on = false; ///< a rank died or was waited for in vain: another try may do better
  Failure failure = {};   ///< which, if it did
  /// "0-3, 4-7", the processors of each rank, or why ranks have no cores of their own.
  std::string binding;
  std::string untold; ///< which output could not be written, although the run is saved
  std::vector<RankResult> ranks;
  /// Means over the evaluation dataset, by name; the same on every rank.
  std::vector<std::pair<std::string, double>> evaluation;
};

/// Runs `config` and returns when all ranks have ended; blocks. If a rank dies, the others are
/// told, have two seconds to end, and are killed then. After one of stop_signals to the caller, or
/// to a rank, all ranks finish the same step and save, within the grace period of the
/// configuration; a second signal to the caller, or one before the first step, stops the run as a
/// death does. If the calling thread or process dies, the kernel kills the ranks. If a rank dies or
/// stalls, and the configuration allows restarts, all ranks are started again, from the newest
/// checkpoint of the run directory (Restarts). No process and no shared memory is left, ever. The
/// calls of several threads exclude each other. Ranks write progress to standard output, warnings
/// and errors to standard error.
LaunchResult launch(const RunConfig &config);

/// What `launch` would fail of before it starts a rank: programs that do not fit the run, and more
/// memory than its ranks can share. Starts nothing and leaves nothing.
Error check_launch(const RunConfig &config);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_LAUNCH_LAUNCH_H
