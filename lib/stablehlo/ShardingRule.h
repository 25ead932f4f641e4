// The rules of this folder as rules of sharding, which say the same of all axes at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_STABLEHLO_SHARDINGRULE_H
#define TUTTI_LIB_STABLEHLO_SHARDINGRULE_H

#include "dialects/interfaces/ShardingRule.h"

namespace tutti::stablehlo {

/// The rule of an operation of StableHLO, of which no dialect is registered: `findRule` is asked
/// for a part along each dimension. Fails for control flow, for what is not known, and where a
/// shape is not static.
mlir::FailureOr<ShardingRule> findShardingRule(mlir::Operation *op);

} // namespace tutti::stablehlo

#endif // TUTTI_LIB_STABLEHLO_SHARDINGRULE_H
