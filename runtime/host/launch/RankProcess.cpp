// Starting and ending the process of a rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/RankProcess.h"

#include "runtime/support/system/SealedMemory.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char **environ;

namespace tutti::runtime::worker {
namespace {

Error system_error(const std::string &what) {
  return Error::make(TUTTI_SYSTEM_ERROR, what, ": ", system_message(errno));
}

/// This process's environment, with settings that replace or extend it.
std::vector<std::string> merged_environment(const std::vector<std::string> &settings) {
  std::vector<std::string> merged = settings;
  for (char **entry = environ; *entry; ++entry) {
    std::string name(*entry, std::strcspn(*entry, "=") + 1);
    bool is_replaced = false;
    for (const std::string &setting : settings)
      is_replaced |= setting.compare(0, name.size(), name) == 0;
    if (!is_replaced)
      merged.push_back(*entry);
  }
  return merged;
}

std::vector<char *> pointers(const std::vector<std::string> &texts) {
  std::vector<char *> out;
  out.reserve(texts.size() + 1);
  for (const std::string &text : texts)
    out.push_back(const_cast<char *>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// The processors of this thread, which its children inherit, while this object lives.
class Binding {
public:
  Error bind(const Processors &processors) {
    if (processors.empty())
      return Error::success();
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (int32_t number : processors)
      if (number < CPU_SETSIZE)
        CPU_SET(size_t(number), &wanted);
    is_bound = sched_getaffinity(0, sizeof before, &before) == 0 &&
               sched_setaffinity(0, sizeof wanted, &wanted) == 0;
    return is_bound ? Error::success() : system_error("cannot bind a rank to its cores");
  }
  ~Binding() {
    if (is_bound)
      sched_setaffinity(0, sizeof before, &before);
  }

private:
  cpu_set_t before;
  bool is_bound = false;
};

/// What runs between fork and exec: only calls that are allowed there. Never returns.
[[noreturn]] void become(pid_t parent, const std::vector<int> &inherited, char *const *arguments,
                         char *const *environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // it died before the line above
    _exit(127);
  for (int descriptor : inherited)
    fcntl(descriptor, F_SETFD, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

} // namespace

Result<RankProcess> RankProcess::start(const std::string &program, const std::string &json,
                                       std::vector<int> descriptors,
                                       const std::vector<std::string> &environment,
                                       const Processors &processors) {
  if (access(program.c_str(), X_OK) != 0)
    return system_error("cannot run the worker '" + program + "'");
  Result<SealedMemory> file = SealedMemory::of("tutti-config", json);
  if (!file)
    return file.error();
  std::vector<std::string> arguments = {program, file->path()};
  std::vector<std::string> settings = merged_environment(environment);
  std::vector<char *> argument_pointers = pointers(arguments);
  std::vector<char *> setting_pointers = pointers(settings);
  descriptors.push_back(file->descriptor());
  pid_t parent = getpid();
  Binding binding;
  if (Error error = binding.bind(processors))
    return error;
  pid_t pid = fork();
  if (pid == 0)
    become(parent, descriptors, argument_pointers.data(), setting_pointers.data());
  if (pid < 0)
    return system_error("cannot start a rank");
  int watch = int(syscall(SYS_pidfd_open, pid, 0));
  RankProcess process(pid, watch);
  if (watch < 0)
    return system_error("cannot watch a rank"); // the destructor ends it
  return process;
}

RankProcess::RankProcess(RankProcess &&other) noexcept
    : pid(std::exchange(other.pid, -1)), watch(std::exchange(other.watch, -1)),
      is_reaped(other.is_reaped), status(other.status), ending_signal(other.ending_signal) {}

RankProcess &RankProcess::operator=(RankProcess &&other) noexcept {
  RankProcess taken(std::move(other));
  std::swap(pid, taken.pid);
  std::swap(watch, taken.watch);
  std::swap(is_reaped, taken.is_reaped);
  std::swap(status, taken.status);
  std::swap(ending_signal, taken.ending_signal);
  return *this;
}

RankProcess::~RankProcess() {
  if (pid > 0 && !is_reaped) {
    kill();
    int wait_status;
    while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
    }
  }
  if (watch >= 0)
    close(watch);
}

bool RankProcess::has_ended() {
  int wait_status;
  if (!is_reaped && waitpid(pid, &wait_status, WNOHANG) == pid)
    keep(wait_status);
  return is_reaped;
}

void RankProcess::keep(int wait_status) {
  is_reaped = true;
  status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 0;
  ending_signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
}

void RankProcess::kill() {
  if (pid > 0 && !is_reaped) // not reaped, so the number is still this process's
    ::kill(pid, SIGKILL);
}

Error become_rank(const std::string &program, const std::string &json,
                  const std::vector<int> &descriptors,
                  const std::vector<std::string> &environment) {
  Result<SealedMemory> file = SealedMemory::of("tutti-config", json);
  if (!file)
    return file.error();
  std::vector<std::string> arguments = {program, file->path()};
  std::vector<std::string> settings = merged_environment(environment);
  fcntl(file->descriptor(), F_SETFD, 0);
  for (int descriptor : descriptors)
    fcntl(descriptor, F_SETFD, 0);
  execve(program.c_str(), pointers(arguments).data(), pointers(settings).data());
  return system_error("cannot run the worker '" + program + "'");
}

} // namespace tutti::runtime::worker
