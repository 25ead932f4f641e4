// A thread a job: checkpoints are minutes apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rundir/BackgroundWriter.h"

#include "runtime/support/HeldSignals.h"

#include <system_error>

namespace tutti::runtime::rundir {

void BackgroundWriter::start(std::function<void()> job) {
  try {
    HeldSignals held; // the thread inherits it
    thread = std::thread(job);
  } catch (const std::system_error &) {
    job();
  }
}

void BackgroundWriter::wait() {
  if (thread.joinable())
    thread.join();
}

} // namespace tutti::runtime::rundir
