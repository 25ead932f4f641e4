// The proof of a program whose ranks hold one model in parts: along each axis of the mesh.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_VERIFYTENSOR_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_VERIFYTENSOR_H

#include "lib/program/Program.h"

#include "mlir/IR/OwningOpRef.h"

namespace tutti::distribution {

/// Follows what neighbours have of each value of `@step`, by the rules of its operations alone:
/// each sum over neighbours is taken once, before it is used other than linearly, and each variable
/// and metric leaves the step as it came. Emits an error at the operation where that is not so.
/// The program has `train.tensor_parts`.
mlir::LogicalResult verifyParts(program::Program program);

/// A copy of `module` as ranks that hold the same parts see it: the world is the group among them,
/// and what neighbours exchange is theirs alone. Null, with an error, where a group is of other
/// ranks.
mlir::OwningOpRef<mlir::ModuleOp> copyForData(mlir::ModuleOp module);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_VERIFYTENSOR_H
