// A thread that waits for jobs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/BackgroundJob.h"

#include "runtime/support/system/HeldSignals.h"

#include <chrono>
#include <pthread.h>
#include <sched.h>
#include <system_error>

namespace tutti::runtime {

BackgroundJob::~BackgroundJob() {
  wait();
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    is_over = true;
  }
  changed.notify_all();
  thread.join();
}

bool BackgroundJob::has_thread() {
  if (thread.joinable())
    return true;
  try {
    HeldSignals held; // the thread inherits it
    thread = std::thread([this] { serve(); });
  } catch (const std::system_error &) {
    return false;
  }
  return true;
}

void BackgroundJob::start(std::function<void()> given) {
  if (!has_thread())
    return given();
  {
    std::lock_guard<std::mutex> lock(mutex);
    job = std::move(given);
    is_due = is_running = true;
  }
  changed.notify_all();
}

void BackgroundJob::start_beside(std::function<void()> given) {
  if (has_thread())
    leave_processor_to_caller();
  start(std::move(given));
}

/// Of the processors of the calling thread. Where the system does not say, the thread stays as it
/// is.
void BackgroundJob::leave_processor_to_caller() {
  cpu_set_t others;
  int own = sched_getcpu();
  if (own < 0 || sched_getaffinity(0, sizeof others, &others) != 0)
    return;
  CPU_CLR(own, &others);
  if (CPU_COUNT(&others) > 0)
    pthread_setaffinity_np(thread.native_handle(), sizeof others, &others);
}

void BackgroundJob::serve() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return is_due || is_over; });
    if (!is_due)
      return;
    is_due = false;
    lock.unlock();
    job();
    lock.lock();
    is_running = false;
    changed.notify_all();
  }
}

bool BackgroundJob::wait_for(double seconds) {
  std::unique_lock<std::mutex> lock(mutex);
  return changed.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return !is_running; });
}

void BackgroundJob::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return !is_running; });
}

} // namespace tutti::runtime
