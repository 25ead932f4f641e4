// A job beside its owner, one at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_BACKGROUNDJOB_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_BACKGROUNDJOB_H

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tutti::runtime {

/// Runs jobs on a thread that it makes for the first and keeps for the others, so that a job may be
/// as short as a batch is loaded. Used by one thread. Its destructor waits for the job.
class BackgroundJob {
public:
  BackgroundJob() = default;
  BackgroundJob(const BackgroundJob &) = delete;
  ~BackgroundJob();

  /// Runs `job` on the thread, which handles no signals, or at once where the system allows no more
  /// threads. No job may be running: `wait` first.
  void start(std::function<void()> job);
  /// The same on another processor than the caller's, if this thread may use several. The system
  /// wakes a thread where its waker runs, and on a busy machine the two would take turns there.
  void start_beside(std::function<void()> job);
  /// Until the job is done, if there is one. What it wrote may then be read.
  void wait();
  /// The same for at most so long; whether none is running.
  bool wait_for(double seconds);

private:
  bool has_thread();
  void leave_processor_to_caller();
  void serve();

  std::mutex mutex; ///< of all but the thread
  std::condition_variable changed;
  std::function<void()> job; ///< that runs, or is to
  bool is_due = false, is_running = false, is_over = false;
  std::thread thread;
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_BACKGROUNDJOB_H
