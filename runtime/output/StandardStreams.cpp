// Standard streams whose failures do not fail the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/StandardStreams.h"

#include "runtime/output/OutputFile.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <mutex>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tutti::runtime::output {

void secure_standard_streams() {
  // Reading and writing fail as before; only messages to standard error are dropped.
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(number, F_GETFD) < 0 && errno == EBADF) // the lowest free number is the one opened
      (void)!open("/dev/null", modes[number]);
}

void ignore_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

void ignore_write_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  ignore_size_signal();
}

static bool write_all(int descriptor, const std::string &text) {
  for (size_t written = 0; written < text.size();) {
    ssize_t bytes = write(descriptor, text.data() + written, text.size() - written);
    if (bytes < 0 && errno != EINTR)
      return false;
    written += size_t(bytes < 0 ? 0 : bytes);
  }
  return true;
}

void print(const std::string &text) {
  static std::mutex one_at_a_time;
  static bool has_failed = false;
  std::lock_guard<std::mutex> lock(one_at_a_time);
  if (has_failed || write_all(STDOUT_FILENO, text))
    return;
  has_failed = true;
  std::fprintf(stderr, "warning: standard output cannot be written (%s); the run goes on\n",
               system_message(errno).c_str());
}

int terminal_columns() {
  winsize size = {};
  if (!isatty(STDOUT_FILENO))
    return 0;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace tutti::runtime::output
