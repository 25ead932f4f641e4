// Children that report through pipes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/Fork.h"

#include <csignal>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// A job in the background of a script ignores SIGINT, and one of nohup SIGHUP. Tests that raise
/// them begin as in a terminal.
struct SignalsOfTerminal {
  SignalsOfTerminal() {
    for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
      std::signal(signal, SIG_DFL);
  }
} signals_of_terminal;

} // namespace

Fork start_fork(const std::function<std::string()> &work) {
  int ends[2];
  if (pipe(ends) != 0)
    return {};
  pid_t pid = fork();
  if (pid != 0) {
    close(ends[1]);
    return {pid, ends[0]};
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(ends[0]);
  std::string answer = work();
  ssize_t written = write(ends[1], answer.data(), answer.size());
  _exit(written == ssize_t(answer.size()) ? 0 : 1);
}

std::string finish_fork(const Fork &fork) {
  if (fork.pid < 0)
    return "could not be started";
  std::string answer;
  char buffer[4096];
  for (ssize_t got; (got = read(fork.pipe, buffer, sizeof buffer)) > 0;)
    answer.append(buffer, size_t(got));
  close(fork.pipe);
  int status = 0;
  waitpid(fork.pid, &status, 0);
  return WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status)) : answer;
}

bool can_forks_read_each_other() {
  int64_t word = 7, seen = 0;
  Fork other = start_fork([]() -> std::string {
    pause();
    return "";
  });
  Fork reader = start_fork([&]() -> std::string {
    iovec here = {&seen, sizeof seen}, there = {&word, sizeof word};
    return process_vm_readv(other.pid, &here, 1, &there, 1, 0) == sizeof seen ? "can" : "cannot";
  });
  bool can = finish_fork(reader) == "can";
  kill(other.pid, SIGKILL);
  finish_fork(other);
  return can;
}
