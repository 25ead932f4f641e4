// A compiled program in this process, one rank on the self backend.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_EXECUTION_LOADEDPROGRAM_H
#define TUTTI_TEST_LIB_EXECUTION_LOADEDPROGRAM_H

#include "lib/execution/ProgramValues.h"
#include "lib/execution/files/Descriptor.h"
#include "tutti/program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace tutti::test {

/// Owns the loaded code, a context of one rank, the variables and the arenas. Used from one thread
/// at a time. The process must have the runtime (target `tutti`) among its libraries.
class LoadedProgram {
public:
  /// Loads the shared object at `path`. `seed` is the run's, `values` has what is not in the shared
  /// object.
  static llvm::Expected<std::unique_ptr<LoadedProgram>>
  load(llvm::StringRef path, uint64_t seed = 0, const execution::ProgramValues &values = {});
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram &) = delete;
  LoadedProgram &operator=(const LoadedProgram &) = delete;

  /// Gives the variables their first values.
  llvm::Error initialize();
  /// Runs a step. `inputs` are inputs, then hyperparameters, `results` metrics, then outputs, as
  /// the manifest lists them: the caller's memory, 64-byte aligned. Counts the steps for random
  /// numbers.
  llvm::Error step(llvm::ArrayRef<void *> inputs, llvm::ArrayRef<void *> results);
  llvm::Error evaluate(llvm::ArrayRef<void *> inputs, llvm::ArrayRef<void *> results);

  /// The memory of variable `index`, as long as this object lives.
  void *variable(size_t index) const { return variables[index]; }
  size_t variableCount() const { return variables.size(); }
  const llvm::json::Object &manifest() const { return description; }
  tutti_context *context() const { return rank; }

private:
  LoadedProgram() = default;
  llvm::Error open(llvm::StringRef path, uint64_t seed);
  llvm::Error readManifest(const char *text);
  llvm::Error placeValues(const execution::ProgramValues &values);
  llvm::Error createContext(uint64_t seed);
  llvm::Error allocate();
  llvm::Error check(int32_t status) const;
  void *symbol(const char *name) const;

  execution::Descriptor file; ///< of the shared object
  void *library = nullptr;
  tutti_context *rank = nullptr;
  tutti_initialize_function initializeFunction = nullptr;
  tutti_step_function stepFunction = nullptr;
  tutti_evaluate_function evaluateFunction = nullptr;
  llvm::json::Object description;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> constants;
  std::vector<void *> variables, evaluated;
  void *arena = nullptr;
  int64_t nextStep = 0;
};

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_EXECUTION_LOADEDPROGRAM_H
