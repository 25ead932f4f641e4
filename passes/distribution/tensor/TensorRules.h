// Which variables of a step are cut among neighbouring ranks: by name, or found.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORRULES_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORRULES_H

#include "passes/distribution/tensor/TensorPlacement.h"

#include "lib/program/Program.h"

namespace tutti::distribution {

/// "PATTERN=DIMENSION;PATTERN=DIMENSION" as the arguments of the step that it names. Emits an error
/// for text that is none, a pattern that names no trainable variable, and a dimension that is not
/// there or that `parts` do not divide.
mlir::FailureOr<CutArguments> readTensorRules(program::Program program, llvm::StringRef rules,
                                              int64_t parts);

/// Weights of products that are cut along their columns, so that what follows is computed in parts
/// until another product sums over them. Tried in the order of the program, all that take the same
/// value together; kept where nothing must be gathered, and where at most one sum is added forward
/// and one backward. Says why others stay whole.
mlir::FailureOr<CutArguments> findTensorPairs(program::Program program, int64_t parts);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORRULES_H
