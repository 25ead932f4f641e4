// Names that the passes which write roles and those which take them away agree on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_STABLEHLO_ROLES_H
#define TUTTI_PASSES_STABLEHLO_ROLES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tutti::stablehlo {

/// The dataset of the arguments that ranks divide, and of those that all ranks are given alike.
inline constexpr llvm::StringLiteral kBatch = "batch";
inline constexpr llvm::StringLiteral kGiven = "given";

/// Of a result of @step: where the exported step returned it.
inline constexpr llvm::StringLiteral kPlace = "stablehlo.place";

inline constexpr llvm::StringLiteral kReplicas = "mhlo.num_replicas";

/// Writes down in `module` which of the StableHLO operations that it holds compute the same on
/// every rank. Others, such as replica_id, are not among them.
void declareDeterministic(mlir::ModuleOp module);

/// Takes away what `declareDeterministic` wrote.
void withdrawDeterministic(mlir::ModuleOp module);

/// Result i of `function` becomes what result `order[i]` was, with its attributes; aliases of
/// arguments follow.
void permuteResults(mlir::func::FuncOp function, llvm::ArrayRef<unsigned> order);

} // namespace tutti::stablehlo

#endif // TUTTI_PASSES_STABLEHLO_ROLES_H
