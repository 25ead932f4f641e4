// A handler that writes the signal's number into a pipe, and one that keeps it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/StopSignals.h"

#include "runtime/support/system/HeldSignals.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <vector>

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
std::atomic<bool> asked_by_parent = false, asked_by_others = false;
timespec noted_at; // written once, before `noted`

bool is_repeated_at_once() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds =
      double(now.tv_sec - noted_at.tv_sec) + 1e-9 * double(now.tv_nsec - noted_at.tv_nsec);
  return seconds < 0.2;
}

/// The launcher is this process's parent. What it passes on may come late.
bool is_of_parent(const siginfo_t &info) {
  bool is_sent = info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
  return is_sent && info.si_pid == getppid();
}

void keep_or_end(int number, siginfo_t *info, void *) {
  bool was_asked = (is_of_parent(*info) ? asked_by_parent : asked_by_others).exchange(true);
  if (noted == 0) {
    clock_gettime(CLOCK_MONOTONIC, &noted_at);
    noted = number;
  } else if (was_asked && !is_repeated_by_system(number) && !is_repeated_at_once()) {
    std::signal(number, SIG_DFL);
    raise(number); // once this handler returns
  }
}

void handle(int number, struct sigaction action, struct sigaction &old) {
  sigaction(number, nullptr, &old);
  if (number != SIGINT && number != SIGTERM && old.sa_handler == SIG_IGN)
    return;
  action.sa_flags |= SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

bool is_of_terminal(int signal) {
  return std::find(terminal_signals.begin(), terminal_signals.end(), signal) !=
         terminal_signals.end();
}

/// Those that a rank heeds itself.
std::vector<int> signals_of_rank(bool has_launcher) {
  std::vector<int> heeded;
  for (int signal : stop_signals)
    if (!has_launcher || !is_of_terminal(signal))
      heeded.push_back(signal);
  return heeded;
}

std::atomic<pid_t> launcher = 0;

void pass_on(int number) {
  int kept = errno;
  if (getppid() == launcher) // it is still there
    kill(launcher, number);
  errno = kept;
}

struct sigaction calls(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  return action;
}

struct sigaction calls(void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  return action;
}

} // namespace

StopSignals::StopSignals() {
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return; // the signals then do what they did before
  for (size_t i = 0; i < stop_signals.size(); ++i)
    handle(stop_signals[i], calls(note), old[i]);
}

StopSignals::~StopSignals() {
  if (pipe_ends[0] < 0)
    return;
  for (size_t i = 0; i < stop_signals.size(); ++i)
    sigaction(stop_signals[i], &old[i], nullptr);
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

int StopSignals::wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  int signal = take();
  for (auto now = Clock::now(); signal == 0 && now < end; now = Clock::now()) {
    pollfd watched = {descriptor(), POLLIN, 0};
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - now).count() + 1;
    poll(&watched, 1, int(left));
    signal = take();
  }
  return signal;
}

StopRequest::StopRequest(bool has_launcher) : has_launcher(has_launcher) {
  noted = 0;
  asked_by_parent = asked_by_others = false;
  size_t i = 0;
  for (int signal : signals_of_rank(has_launcher))
    handle(signal, calls(keep_or_end), old[i++]);
}

/// A signal that the thread for signals has not taken yet would do what it did before the request,
/// and end a process that has done all that it was asked for.
static void drop_pending(bool has_launcher) {
  HeldSignals held; // as sigtimedwait wants it
  sigset_t stopping;
  sigemptyset(&stopping);
  for (int signal : signals_of_rank(has_launcher))
    sigaddset(&stopping, signal);
  const timespec at_once = {0, 0};
  while (sigtimedwait(&stopping, nullptr, &at_once) > 0)
    ;
}

StopRequest::~StopRequest() {
  drop_pending(has_launcher);
  size_t i = 0;
  for (int signal : signals_of_rank(has_launcher))
    sigaction(signal, &old[i++], nullptr);
}

int StopRequest::signal() const { return noted; }

void leave_stopping_to_launcher() {
  for (int signal : stop_signals)
    std::signal(signal, SIG_IGN);
  launcher = getppid();
  struct sigaction passes = calls(pass_on);
  passes.sa_flags |= SA_RESTART;
  sigaction(SIGXCPU, &passes, nullptr);
}

void announce_stop(int signal) {
  const char *begin = isatty(STDERR_FILENO) ? "\n" : ""; // after the line that progress changes
  std::fprintf(stderr,
               "%sdist-run: %s: all ranks finish the step and save what --save asks for; once more "
               "ends the run at once\n",
               begin, spell_signal(signal));
}

const char *spell_signal(int signal) { return strsignal(signal); }

} // namespace tutti::runtime::worker
