// SIGINT and SIGTERM as something to poll.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_WORKER_STOPSIGNALS_H
#define TUTTI_RUNTIME_WORKER_STOPSIGNALS_H

#include <csignal>

namespace tutti::runtime::worker {

/// While it lives, the two signals do not end this process but make descriptor() readable. One at a
/// time.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;

  int descriptor() const;
  /// The first signal that came since the last call, or 0.
  int take();

private:
  struct sigaction old_interrupt = {}, old_terminate = {};
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_WORKER_STOPSIGNALS_H
