// The evaluator of a cluster that is all on this machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_EVALUATORPROCESS_H
#define TUTTI_TOOLS_DISTRUN_EVALUATORPROCESS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/Program.h"

#include <string>
#include <vector>

namespace tutti {

/// Another dist-run with the same command, told that it is the evaluator. It ends by itself when
/// the run that it follows is complete; with this object it is asked to end.
class EvaluatorProcess {
public:
  /// `command` is that of this process, the program first.
  static llvm::Expected<EvaluatorProcess> start(const std::vector<std::string> &command);
  EvaluatorProcess(EvaluatorProcess &&other) noexcept;
  ~EvaluatorProcess();

  /// Until it has ended; the error says how, unless it went well.
  llvm::Error wait();

private:
  explicit EvaluatorProcess(llvm::sys::ProcessInfo process) : process(process) {}

  llvm::sys::ProcessInfo process; ///< number 0: it has ended, or is another's
};

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_EVALUATORPROCESS_H
