// A handler that writes the signal's number into a pipe.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/StopSignals.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace tutti::runtime::worker {
namespace {

int pipe_ends[2] = {-1, -1}; // a handler has no other way to reach its object

void note(int signal) {
  int kept = errno;
  char number = char(signal);
  (void)!write(pipe_ends[1], &number, 1);
  errno = kept;
}

} // namespace

StopSignals::StopSignals() {
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return; // the signals then do what they did before
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_interrupt);
  sigaction(SIGTERM, &action, &old_terminate);
}

StopSignals::~StopSignals() {
  if (pipe_ends[0] < 0)
    return;
  sigaction(SIGINT, &old_interrupt, nullptr);
  sigaction(SIGTERM, &old_terminate, nullptr);
  for (int &end : pipe_ends) {
    close(end);
    end = -1;
  }
}

int StopSignals::descriptor() const { return pipe_ends[0]; }

int StopSignals::take() {
  char number = 0;
  return pipe_ends[0] >= 0 && read(pipe_ends[0], &number, 1) == 1 ? number : 0;
}

} // namespace tutti::runtime::worker
