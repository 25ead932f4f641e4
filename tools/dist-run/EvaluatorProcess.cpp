// Starting an evaluator, and waiting for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/EvaluatorProcess.h"

#include "tools/dist-run/Errors.h"

#include "llvm/Support/FileSystem.h"

#include <csignal>
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

llvm::Expected<EvaluatorProcess> EvaluatorProcess::start(const std::vector<std::string> &command) {
  std::vector<llvm::StringRef> environment = {
      R"(TF_CONFIG={"cluster": {"worker": ["localhost:1"]}, "task": {"type": "evaluator"}})"};
  for (char **variable = environ; *variable; ++variable)
    if (!llvm::StringRef(*variable).starts_with("TF_CONFIG="))
      environment.push_back(*variable);
  static int anchor;
  std::string program = llvm::sys::fs::getMainExecutable(command.front().c_str(), &anchor);
  std::string message;
  llvm::sys::ProcessInfo process =
      llvm::sys::ExecuteNoWait(program, argumentsOf(command), llvm::ArrayRef(environment), {},
                               /*MemoryLimit=*/0, &message);
  if (process.Pid == llvm::sys::ProcessInfo::InvalidPid)
    return makeError("cannot start the evaluator: " + message);
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
