// SIGINT and SIGTERM, which ask a run to stop: for the launcher and for a rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_RUN_STOPSIGNALS_H
#define TUTTI_RUNTIME_RUN_STOPSIGNALS_H

#include <csignal>

namespace tutti::runtime::worker {

/// Of the launcher. While it lives, the two signals do not end this process but make descriptor()
/// readable. One at a time.
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

/// Of a rank. While it lives, the first of the two signals is only noted; another one, a fifth of a
/// second later or more, ends this process as if nobody handled it. A signal that the parent, a
/// launcher, passes on after the terminal has sent it is the same request, however late it comes:
/// a second request is one of a sender who asked before. One at a time.
class StopRequest {
public:
  /// Ctrl-C reaches every process of a terminal. With `has_launcher`, one of ours, SIGINT is left
  /// to that.
  explicit StopRequest(bool has_launcher);
  ~StopRequest();
  StopRequest(const StopRequest &) = delete;

  /// The signal that came, or 0.
  int signal() const;

private:
  bool has_launcher;
  struct sigaction old_interrupt = {}, old_terminate = {}, old_user = {};
};

/// Tells a person that the first signal is heeded.
void announce_stop(int signal);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_RUN_STOPSIGNALS_H
