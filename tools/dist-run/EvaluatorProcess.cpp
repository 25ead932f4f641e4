// Starting an evaluator, and waiting for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/EvaluatorProcess.h"

#include "tools/dist-run/Errors.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

using namespace tutti;

/// The same command without the cluster, which is this process's to start.
static std::vector<llvm::StringRef> argumentsOf(const std::vector<std::string> &command) {
  std::vector<llvm::StringRef> arguments;
  for (size_t i = 0; i < command.size(); ++i) {
    llvm::StringRef argument = command[i];
    if (argument == "--local-cluster")
      ++i;
    else if (!argument.starts_with("--local-cluster="))
      arguments.push_back(argument);
  }
  return arguments;
}

static std::vector<char *> pointersTo(std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (std::string &text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What runs in the child, which ends with this process however that ends.
[[noreturn]] static void become(pid_t parent, const std::string &program,
                                const std::vector<char *> &arguments,
                                const std::vector<char *> &environment) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() == parent) // it is still there
    execve(program.c_str(), arguments.data(), environment.data());
  _exit(127);
}

llvm::Expected<EvaluatorProcess> EvaluatorProcess::start(const std::vector<std::string> &command) {
  std::vector<llvm::StringRef> environment = {
      R"(TF_CONFIG={"cluster": {"worker": ["localhost:1"]}, "task": {"type": "evaluator"}})"};
  for (char **variable = environ; *variable; ++variable)
    if (!llvm::StringRef(*variable).starts_with("TF_CONFIG="))
      environment.push_back(*variable);
  static int anchor;
  std::string program = llvm::sys::fs::getMainExecutable(command.front().c_str(), &anchor);
  std::vector<std::string> arguments, settings;
  for (llvm::StringRef argument : argumentsOf(command))
    arguments.push_back(argument.str());
  for (llvm::StringRef setting : environment)
    settings.push_back(setting.str());
  std::vector<char *> given = pointersTo(arguments), set = pointersTo(settings);
  pid_t parent = getpid();
  llvm::sys::ProcessInfo process;
  process.Pid = fork();
  if (process.Pid == 0)
    become(parent, program, given, set);
  if (process.Pid < 0)
    return makeError("cannot start the evaluator: " + llvm::sys::StrError());
  return EvaluatorProcess(process);
}

EvaluatorProcess::EvaluatorProcess(EvaluatorProcess &&other) noexcept : process(other.process) {
  other.process = {};
}

EvaluatorProcess::~EvaluatorProcess() {
  if (process.Pid == llvm::sys::ProcessInfo::InvalidPid)
    return;
  kill(process.Pid, SIGTERM);
  llvm::consumeError(wait());
}

llvm::Error EvaluatorProcess::wait() {
  std::string message;
  llvm::sys::ProcessInfo ended = llvm::sys::Wait(process, std::nullopt, &message);
  process = {};
  if (ended.ReturnCode == 0)
    return llvm::Error::success();
  return makeError("the evaluator ended with status " + llvm::Twine(ended.ReturnCode) +
                   (message.empty() ? "" : ": " + message));
}
