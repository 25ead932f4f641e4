// A compiled program, loaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_PROGRAM_H
#define TUTTI_RUNTIME_HOST_PROGRAM_PROGRAM_H

#include "runtime/host/program/Manifest.h"
#include "runtime/host/program/Values.h"
#include "runtime/support/system/NamedMemory.h"
#include "tutti/program.h"

#include <memory>
#include <vector>

namespace tutti::runtime::worker {

/// The functions of program.so. Stays loaded until the process ends.
struct Program {
  Manifest manifest;
  tutti_initialize_function initialize = nullptr;
  tutti_step_function step = nullptr;
  tutti_evaluate_function evaluate = nullptr; ///< null if there is none
  tutti_prefetch_function prefetch = nullptr; ///< null if there is none
  std::shared_ptr<const NamedMemory> memory;  ///< where it lies
  Values values;                              ///< what is not in it

  /// Loads `path`, whose calls into the runtime bind to this process, and the values that are to be
  /// found at `places`. It must be compiled for `ranks` ranks.
  static Result<Program> load(const std::string &path, const ValuePlaces &places, int64_t ranks);
};

/// The index of the program that a rank runs: of two (ceil, floor) the first ranks take the one of
/// the larger local batch.
Result<size_t> program_of_rank(const std::vector<std::string> &programs, int64_t rank);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_PROGRAM_H
