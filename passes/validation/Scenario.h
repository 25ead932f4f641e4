// The numbers that programs are compared on: batches, hyperparameters, first variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_VALIDATION_SCENARIO_H
#define TUTTI_PASSES_VALIDATION_SCENARIO_H

#include "lib/interpreter/Interpreter.h"

#include "dialects/train/Train.h"

namespace tutti::validation {

/// Which integers an input may hold: those that look something up are below its size.
struct IntegerRange {
  int64_t size = 5;
  std::optional<int64_t> ignored; ///< a label that does not count
};

/// What is drawn depends on names and steps only, so that all programs get the same.
class Scenario {
public:
  /// Ranges of inputs are those that `program`, of one device, has uses for.
  Scenario(mlir::ModuleOp program, uint64_t seed);

  /// The global batch of an input in a step. `spoilt` puts what is no number into a sample.
  interpreter::TensorRef drawInput(llvm::StringRef name, mlir::RankedTensorType type, int64_t step,
                                   bool isSpoilt) const;
  /// A variable, or a hyperparameter, of a float type.
  interpreter::TensorRef drawFloats(llvm::StringRef name, llvm::ArrayRef<int64_t> shape) const;
  uint64_t seedOf(int64_t step) const;

private:
  uint64_t seed;
  llvm::StringMap<IntegerRange> ranges;
};

/// The value that @initialize gives to its result `index`, where that is a constant, as it is or
/// after it was sent to all ranks; null if it is computed.
interpreter::TensorRef findInitial(mlir::func::FuncOp initialize, unsigned index);

} // namespace tutti::validation

#endif // TUTTI_PASSES_VALIDATION_SCENARIO_H
