// The end of a process that was asked to stop and does not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_STOPDEADLINE_H
#define TUTTI_RUNTIME_HOST_WORKER_STOPDEADLINE_H

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tutti::runtime::worker {

/// While it lives: once `signal` has given a number for `seconds`, `describe` is asked what is
/// left, that is said, and this process ends by that signal. For ranks that no launcher of ours
/// watches. Both are called on a thread of its own.
class StopDeadline {
public:
  StopDeadline(double seconds, std::function<int()> signal, std::function<std::string()> describe);
  ~StopDeadline();
  StopDeadline(const StopDeadline &) = delete;

private:
  void watch();

  double seconds;
  std::function<int()> signal;
  std::function<std::string()> describe;
  std::mutex mutex; ///< of all below
  std::condition_variable ended;
  bool is_over = false;
  std::thread thread;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_STOPDEADLINE_H
