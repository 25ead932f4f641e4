// A handler that writes the signal's number into a pipe, and one that keeps it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/run/StopSignals.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
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

std::atomic<int> noted = 0; // a handler may run on any thread
static_assert(std::atomic<int>::is_always_lock_free);
timespec noted_at; // written once, before `noted`

bool is_repeated_at_once() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds =
      double(now.tv_sec - noted_at.tv_sec) + 1e-9 * double(now.tv_nsec - noted_at.tv_nsec);
  return seconds < 0.2;
}

void keep_or_end(int number) {
  if (noted == 0) {
    clock_gettime(CLOCK_MONOTONIC, &noted_at);
    noted = number;
  } else if (!is_repeated_at_once()) {
    std::signal(number, SIG_DFL);
    raise(number); // once this handler returns
  }
}

void handle(int number, void (*handler)(int), struct sigaction &old) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, &old);
}

} // namespace

StopSignals::StopSignals() {
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return; // the signals then do what they did before
  handle(SIGINT, note, old_interrupt);
  handle(SIGTERM, note, old_terminate);
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

StopRequest::StopRequest(bool has_launcher) : has_launcher(has_launcher) {
  noted = 0;
  if (!has_launcher) {
    handle(SIGINT, keep_or_end, old_interrupt);
    handle(SIGUSR1, keep_or_end, old_user);
  }
  handle(SIGTERM, keep_or_end, old_terminate);
}

StopRequest::~StopRequest() {
  if (!has_launcher) {
    sigaction(SIGINT, &old_interrupt, nullptr);
    sigaction(SIGUSR1, &old_user, nullptr);
  }
  sigaction(SIGTERM, &old_terminate, nullptr);
}

int StopRequest::signal() const { return noted; }

void announce_stop(int signal) {
  const char *begin = isatty(STDERR_FILENO) ? "\n" : ""; // behind the line that progress changes
  std::fprintf(stderr,
               "%sdist-run: %s: all ranks finish the step and save what --save asks for; once more "
               "ends the run at once\n",
               begin, strsignal(signal));
}

} // namespace tutti::runtime::worker
