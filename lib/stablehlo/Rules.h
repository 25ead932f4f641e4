// What splitting the tensors of an operation of StableHLO means.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_STABLEHLO_RULES_H
#define TUTTI_LIB_STABLEHLO_RULES_H

#include "dialects/interfaces/sharding/ShardingRule.h"

namespace tutti::stablehlo {

/// Whether operations of this kind compute their results from their operands alone, the same on
/// every rank.
bool isPure(llvm::StringRef kind);

/// Whether results have the shape of their operands, element by element.
bool isElementwise(llvm::StringRef kind);

/// Whether operands, results and regions are as many as the specification has at least, and tensors
/// are static. No verifier of StableHLO has seen the operation.
bool isWellFormed(mlir::Operation *op);

/// Whether operations of this kind have a rule, if they are well formed.
bool hasRule(llvm::StringRef kind);

/// The rule of an operation of StableHLO, of which no dialect is registered. Fails for control
/// flow, for what is not known, and for what is not well formed.
mlir::FailureOr<ShardingRule> findShardingRule(mlir::Operation *op);

} // namespace tutti::stablehlo

#endif // TUTTI_LIB_STABLEHLO_RULES_H
