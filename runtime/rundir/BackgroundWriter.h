// A job beside training, one at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_RUNDIR_BACKGROUNDWRITER_H
#define TUTTI_RUNTIME_RUNDIR_BACKGROUNDWRITER_H

#include "runtime/support/Error.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tutti::runtime::rundir {

/// Used by one thread. Its destructor waits for the job.
class BackgroundWriter {
public:
  BackgroundWriter() = default;
  BackgroundWriter(const BackgroundWriter &) = delete;
  ~BackgroundWriter() { wait(); }

  /// Runs `job` on a thread of its own, which handles no signals, or at once where the system
  /// allows no more threads. No job may be running: `wait` first.
  void start(std::function<void()> job);
  /// Until the job is done, if there is one.
  void wait();
  /// The same for at most so long; whether none is running.
  bool wait_for(double seconds);

private:
  std::mutex mutex; ///< of the next two
  std::condition_variable ended;
  bool is_running = false;
  std::thread thread;
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_RUNDIR_BACKGROUNDWRITER_H
