// Why an operation of StableHLO cannot work on parts of a batch, in words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_STABLEHLO_REFUSALS_H
#define TUTTI_PASSES_STABLEHLO_REFUSALS_H

#include "dialects/interfaces/sharding/ShardingRule.h"
#include "lib/layout/Layout.h"

namespace tutti::stablehlo {

/// Why nothing is known of an operation that is not pure.
std::string explainUnknown(mlir::Operation *op);

/// Of an operation without the operands, results and regions that it should have.
std::string explainMalformed();

/// Of a pure operation without a rule.
std::string explainNoRule(mlir::Operation *op, int64_t ranks);

/// Why `op`, whose operands lie as `given` says, cannot take them so: its rule does not let it.
std::string explainRefusal(mlir::Operation *op, const ShardingRule &rule,
                           llvm::ArrayRef<Layout> given, int64_t ranks);

} // namespace tutti::stablehlo

#endif // TUTTI_PASSES_STABLEHLO_REFUSALS_H
