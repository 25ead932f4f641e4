// The signals that ask a run to stop: for the launcher, a rank and a server.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUN_STOPSIGNALS_H
#define TUTTI_RUNTIME_HOST_RUN_STOPSIGNALS_H

#include <array>
#include <csignal>

namespace tutti::runtime::worker {

/// What a terminal sends to every process of it.
constexpr std::array<int, 2> terminal_signals = {SIGINT, SIGHUP};

/// What asks a run to stop: a person, a terminal, and batch systems before the time of a job is
/// over. Apart from SIGINT and SIGTERM, one that is ignored stays so, as SIGHUP under nohup and any
/// after `trap ''`.
constexpr std::array<int, 6> stop_signals = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};

/// Whether one more of it says nothing new: the system repeats SIGXCPU each second of the
/// processor.
constexpr bool is_repeated_by_system(int signal) { return signal == SIGXCPU; }

/// Of the launcher. While it lives, these signals do not end this process but make descriptor()
/// readable. One at a time.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;

  int descriptor() const;
  /// The first signal that came since the last call, or 0.
  int take();
  /// The same, waiting for one at most so long.
  int wait(double seconds);

private:
  std::array<struct sigaction, stop_signals.size()> old = {};
};

/// Of a rank, or of a server that no launcher ends. While it lives, the first of these signals is
/// only noted; another one, a fifth of a second later or more, ends this process as if nobody
/// handled it. A signal that the parent, a launcher, passes on after the terminal has sent it is
/// the same request, however late it comes: a second request is one of a sender who asked before,
/// and not one that the system repeats. One at a time.
class StopRequest {
public:
  /// With `has_launcher`, one of ours, the signals of the terminal are left to that.
  explicit StopRequest(bool has_launcher);
  ~StopRequest();
  StopRequest(const StopRequest &) = delete;

  /// The signal that came, or 0.
  int signal() const;

private:
  bool has_launcher;
  std::array<struct sigaction, stop_signals.size()> old = {};
};

/// Of a server that our launcher, the parent, ends: from now on these signals do nothing, for they
/// reach the launcher, too. The limit of this process's own time does not, and is passed on.
void leave_stopping_to_launcher();

/// "Terminated" and the like.
const char *spell_signal(int signal);

/// Tells a person that the first signal is heeded.
void announce_stop(int signal);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_RUN_STOPSIGNALS_H
