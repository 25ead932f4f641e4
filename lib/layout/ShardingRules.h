// The rule of sharding of any operation: its own, or what is known of MLIR's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_LAYOUT_SHARDINGRULES_H
#define TUTTI_LIB_LAYOUT_SHARDINGRULES_H

#include "dialects/interfaces/sharding/ShardingRule.h"

namespace tutti {

/// The rule of `op`: what it says itself (ShardingRuleOpInterface), or, of MLIR's operations on
/// tensors and scalars, what follows from their traits, indexing maps and shapes, and of StableHLO
/// the rules of lib/stablehlo. Fails where nothing is known: control flow, calls,
/// communication, and dialects that do not say anything.
mlir::FailureOr<ShardingRule> findShardingRule(mlir::Operation *op);

/// The rule of an operation that is a loop nest with indexing maps (linalg), or says so of itself
/// (MLIR's ShardingInterface). A loop whose index is more than a dimension of a tensor is Whole.
mlir::FailureOr<ShardingRule> findLoopRule(mlir::Operation *op);

/// The rule of one of MLIR's operations that are neither elementwise nor loop nests: of the
/// dialects tensor and arith.
mlir::FailureOr<ShardingRule> findTensorRule(mlir::Operation *op);

/// The sets of operands in which an elementwise operation of the dialects arith and math is linear.
void addLinearArithmetic(mlir::Operation *op, ShardingRule &rule);

} // namespace tutti

#endif // TUTTI_LIB_LAYOUT_SHARDINGRULES_H
