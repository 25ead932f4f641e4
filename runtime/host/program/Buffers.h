// The memory of a program on one rank: variables, inputs, results and the arena, where the backend
// wants them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_BUFFERS_H
#define TUTTI_RUNTIME_HOST_PROGRAM_BUFFERS_H

#include "runtime/host/program/Manifest.h"
#include "tutti/context.h"

#include <map>

namespace tutti::runtime::worker {

class StateFile;

/// All memory is the context's, but that of variables in a file. Errors are in the context too.
struct Buffers {
  std::vector<void *> variables;
  std::vector<void *> inputs;  ///< inputs, then hyperparameters
  std::vector<void *> results; ///< metrics, then outputs
  std::vector<void *> evaluation_variables, evaluation_inputs, evaluation_results;
  void *arena = nullptr;
  const StateFile *states = nullptr; ///< where variables with a use lie; null: in memory as others

  /// `states` lasts longer.
  static Buffers allocate(tutti_context *context, const Manifest &manifest,
                          const StateFile *states = nullptr);
  /// For those who look at all variables, one after another: they are done with this one, which
  /// leaves memory if it lies in a file.
  void let_go(size_t variable) const;
  /// Writes the hyperparameters, with `overrides` by name; fails for a name that the program does
  /// not have.
  Error set_hyperparameters(const Manifest &manifest,
                            const std::map<std::string, double> &overrides);
};

/// Element `index` of `memory`, of any type, as a double.
double read_number(int32_t type, const void *memory, int64_t index = 0);
/// Writes `value` as a scalar, rounded if it is a float; false for types that cannot hold it.
bool write_number(int32_t type, void *memory, double value);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_BUFFERS_H
