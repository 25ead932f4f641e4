// A compiled program, loaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_PROGRAM_PROGRAM_H
#define TUTTI_RUNTIME_PROGRAM_PROGRAM_H

#include "runtime/program/Manifest.h"
#include "runtime/support/NamedMemory.h"
#include "tutti/program.h"

#include <memory>
#include <string_view>
#include <vector>

namespace tutti::runtime::worker {

/// The functions of program.so. Stays loaded until the process ends.
struct Program {
  Manifest manifest;
  tutti_initialize_function initialize = nullptr;
  tutti_step_function step = nullptr;
  tutti_evaluate_function evaluate = nullptr; ///< null if there is none
  std::shared_ptr<const NamedMemory> memory;  ///< where it lies
  std::vector<std::string_view> constants;    ///< the parts of it that are only read

  /// Loads `path`, whose calls into the runtime bind to this process. It must be compiled for
  /// `ranks` ranks.
  static Result<Program> load(const std::string &path, int64_t ranks);

  /// Initial values are constants of the program, and copied into the variables once. From then on
  /// they need no memory of this process; who reads a constant again gets it from the file.
  void let_go_of_constants() const;
};

/// Which of the programs a rank runs: with two (ceil, floor) the first ranks take the larger local
/// batch.
Result<std::string> program_of_rank(const std::vector<std::string> &programs, int64_t rank);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_PROGRAM_PROGRAM_H
