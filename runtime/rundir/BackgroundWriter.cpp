// A thread a job: checkpoints are minutes apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rundir/BackgroundWriter.h"

#include "runtime/support/HeldSignals.h"

#include <chrono>
#include <system_error>

namespace tutti::runtime::rundir {

void BackgroundWriter::start(std::function<void()> job) {
  is_running = true; // nobody else is here
  auto run = [this, job = std::move(job)] {
    job();
    std::lock_guard<std::mutex> lock(mutex);
    is_running = false;
    ended.notify_all();
  };
  try {
    HeldSignals held; // the thread inherits it
    thread = std::thread(run);
  } catch (const std::system_error &) {
    run();
  }
}

bool BackgroundWriter::wait_for(double seconds) {
  {
    std::unique_lock<std::mutex> lock(mutex);
    if (!ended.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !is_running; }))
      return false;
  }
  wait();
  return true;
}

void BackgroundWriter::wait() {
  if (thread.joinable())
    thread.join();
}

} // namespace tutti::runtime::rundir
