// Children that report through pipes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/Fork.h"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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
