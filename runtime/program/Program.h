// A compiled program, loaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_PROGRAM_PROGRAM_H
#define TUTTI_RUNTIME_PROGRAM_PROGRAM_H

#include "runtime/program/Manifest.h"
#include "runtime/support/NamedMemory.h"
#include "tutti/program.h"

#include <memory>

namespace tutti::runtime::worker {

/// The functions of program.so. Stays loaded until the process ends.
struct Program {
  Manifest manifest;
  tutti_initialize_function initialize = nullptr;
  tutti_step_function step = nullptr;
  tutti_evaluate_function evaluate = nullptr; ///< null if there is none
  std::shared_ptr<const NamedMemory> memory;  ///< where it lies

  /// Loads `path`, whose calls into the runtime bind to this process. It must be compiled for
  /// `ranks` ranks.
  static Result<Program> load(const std::string &path, int64_t ranks);
};

/// Which of the programs a rank runs: with two (ceil, floor) the first ranks take the larger local
/// batch.
Result<std::string> program_of_rank(const std::vector<std::string> &programs, int64_t rank);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_PROGRAM_PROGRAM_H
