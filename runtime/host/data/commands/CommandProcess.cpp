// Starting, asking and ending a child.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/commands/CommandProcess.h"

#include "runtime/support/Json.h"
#include "runtime/support/Stopwatch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tutti::runtime::data {
namespace {

constexpr int memory_descriptor = 3;
constexpr size_t longest_line = 1 << 20, kept_words = 2000;

Error system_error(const std::string &what) {
  return Error::make(TUTTI_SYSTEM_ERROR, what, ": ", system_message(errno));
}

/// What runs between fork and exec: only calls that are allowed there. Never returns.
[[noreturn]] void become(pid_t parent, int lines, int errors, int memory, char *const *arguments,
                         char *const *environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // it died before the line above
    _exit(127);
  setpgid(0, 0); // so that its children end with it, and a key at the terminal does not end it
  constexpr int above = 10; // all descriptors that it is to have
  int own[] = {fcntl(lines, F_DUPFD, above), fcntl(errors, F_DUPFD, above),
               fcntl(memory, F_DUPFD, above)};
  dup2(own[0], STDIN_FILENO);
  dup2(own[0], STDOUT_FILENO);
  dup2(own[1], STDERR_FILENO);
  dup2(own[2], memory_descriptor);
  for (int descriptor : own)
    close(descriptor);
  for (int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGXFSZ})
    signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

} // namespace

Result<std::unique_ptr<CommandProcess>> CommandProcess::start(const std::string &command,
                                                              int memory) {
  std::array<int, 2> lines = {-1, -1}, errors = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lines.data()) != 0)
    return system_error("cannot make a socket");
  if (pipe2(errors.data(), O_CLOEXEC) != 0) {
    Error error = system_error("cannot make a pipe");
    close(lines[0]), close(lines[1]);
    return error;
  }
  std::string setting = text("TUTTI_DATA_MEMORY=", memory_descriptor);
  std::vector<char *> environment;
  for (char **entry = environ; *entry; ++entry)
    environment.push_back(*entry);
  environment.push_back(setting.data());
  environment.push_back(nullptr);
  std::string shell = "/bin/sh", flag = "-c", line = command;
  std::array<char *, 4> arguments = {shell.data(), flag.data(), line.data(), nullptr};
  pid_t parent = getpid(), pid = fork();
  if (pid == 0)
    become(parent, lines[1], errors[1], memory, arguments.data(), environment.data());
  close(lines[1]), close(errors[1]);
  fcntl(errors[0], F_SETFL, O_NONBLOCK);
  std::unique_ptr<CommandProcess> process(new CommandProcess(pid, lines[0], errors[0]));
  if (pid < 0)
    return system_error("cannot start a process");
  return process;
}

CommandProcess::~CommandProcess() {
  constexpr int tries = 100;
  constexpr useconds_t pause = 10000; // a program whose standard input ends ends by itself
  close(lines);
  bool has_ended = pid <= 0;
  for (int i = 0; i < tries && !has_ended; ++i) {
    has_ended = waitpid(pid, nullptr, WNOHANG) != 0;
    if (!has_ended)
      usleep(pause);
    read_errors();
  }
  if (pid > 0)
    kill(-pid, SIGKILL); // what it has started, and itself if it goes on
  if (!has_ended)
    waitpid(pid, nullptr, 0);
  if (errors >= 0)
    close(errors);
}

/// Waits for `events` of the lines; which of them there are. What the child writes to standard
/// error is read meanwhile: it may wait for that.
short CommandProcess::wait(short events, double seconds) {
  std::array<pollfd, 2> watched = {{{lines, events, 0}, {errors, POLLIN, 0}}};
  poll(watched.data(), errors >= 0 ? 2 : 1, int(std::min(seconds, 3600.0) * 1000) + 1);
  if (errors >= 0 && watched[1].revents != 0 && !read_errors()) {
    close(errors); // it has closed its end
    errors = -1;
  }
  return watched[0].revents;
}

Error CommandProcess::send(const nlohmann::json &line, double seconds) {
  std::string bytes = line.dump() + "\n";
  Stopwatch watch;
  for (size_t sent = 0; sent < bytes.size();) {
    ssize_t count =
        ::send(lines, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    bool is_full = count < 0 && (errno == EAGAIN || errno == EINTR);
    if (count < 0 && !is_full)
      return with_last_words("it has ended" + describe_end());
    sent += is_full ? 0 : size_t(count);
    double left = seconds - watch.seconds();
    if (is_full && left <= 0)
      return with_last_words(text("it has not read a request for ", seconds, " seconds"));
    if (is_full)
      wait(POLLOUT, left);
  }
  return Error::success();
}

/// Passes on what is there; whether more may come.
bool CommandProcess::read_errors() {
  if (errors < 0)
    return false;
  std::array<char, 4096> buffer;
  for (;;) {
    ssize_t count = read(errors, buffer.data(), buffer.size());
    if (count <= 0)
      return count < 0 && (errno == EAGAIN || errno == EINTR);
    std::fwrite(buffer.data(), 1, size_t(count), stderr);
    last_words.append(buffer.data(), size_t(count));
    last_words.erase(0, last_words.size() - std::min(last_words.size(), kept_words));
  }
}

bool CommandProcess::read_lines() {
  std::array<char, 4096> buffer;
  ssize_t count = recv(lines, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count > 0)
    received.append(buffer.data(), size_t(count));
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

/// How it has ended, if it has.
std::string CommandProcess::describe_end() {
  constexpr int tries = 100;
  constexpr useconds_t pause = 10000; // it closes its socket before it can be waited for
  siginfo_t info = {};
  for (int i = 0; i < tries && info.si_pid != pid; ++i) {
    if (i > 0)
      usleep(pause);
    waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  }
  if (info.si_pid != pid)
    return "";
  return info.si_code == CLD_EXITED ? text(" with status ", info.si_status)
                                    : text(" by signal ", info.si_status);
}

Error CommandProcess::with_last_words(const std::string &what) {
  read_errors();
  std::string words = last_words;
  while (!words.empty() && words.back() == '\n')
    words.pop_back();
  return Error::make(TUTTI_BAD_DATA, what,
                     words.empty() ? "; it wrote nothing to standard error"
                                   : "; the end of its standard error:\n" + words);
}

Result<std::string> CommandProcess::next_line(double seconds) {
  for (Stopwatch watch;;) {
    if (size_t end = received.find('\n'); end != received.npos) {
      std::string line = received.substr(0, end);
      received.erase(0, end + 1);
      return line;
    }
    if (received.size() > longest_line)
      return with_last_words(text("it says more than ", longest_line, " bytes in one line"));
    double left = seconds - watch.seconds();
    if (left <= 0)
      return with_last_words(text("it has not answered for ", seconds, " seconds"));
    if (wait(POLLIN, left) != 0 && !read_lines())
      return with_last_words("it has ended" + describe_end() + " without an answer");
  }
}

Result<nlohmann::json> CommandProcess::receive(double seconds) {
  constexpr size_t shown = 100;
  Result<std::string> line = next_line(seconds);
  if (!line)
    return line.error();
  Result<nlohmann::json> parsed = parse_json_object(*line, TUTTI_BAD_DATA);
  if (!parsed)
    return with_last_words(text("it says '", line->substr(0, shown),
                                "' on standard output, which is for lines of JSON; what people are "
                                "to read goes to standard error"));
  if (auto error = parsed->find("error"); error != parsed->end())
    return Error::make(TUTTI_BAD_DATA, error->is_string() ? error->get<std::string>()
                                                          : std::string("it reports an error"));
  return parsed;
}

} // namespace tutti::runtime::data
