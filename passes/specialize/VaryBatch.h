// A batch that a program fixes is let vary.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SPECIALIZE_VARYBATCH_H
#define TUTTI_PASSES_SPECIALIZE_VARYBATCH_H

#include "mlir/IR/BuiltinOps.h"

namespace tutti::specialize {

/// Why a batch cannot be let vary.
struct BatchObstacle {
  mlir::Location location; ///< of the operation at fault
  std::string problem;     ///< such as "the batch of 4 cannot vary: ..."
  int64_t batch;           ///< of the inputs, or of the first of them
};

/// Makes the dimension of the samples of all inputs of a dataset dynamic, and every dimension that
/// follows from it: through type inference, sizes that a Reshape states, and constants that hold
/// equal values for each sample. A dataset without a global batch gets the one that was fixed.
/// Changes nothing where no batch is fixed, or where something does not follow: then says what.
/// Emits nothing.
std::optional<BatchObstacle> varyBatch(mlir::ModuleOp module);

} // namespace tutti::specialize

#endif // TUTTI_PASSES_SPECIALIZE_VARYBATCH_H
