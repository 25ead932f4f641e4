// The order of what workers and servers exchange.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_ORDER_SERVEDORDER_H
#define TUTTI_LIB_ANALYSIS_ORDER_SERVEDORDER_H

#include "lib/analysis/Uniformity.h"

namespace tutti {

/// Proves what servers rely on: each worker pushes once to each table in a step, with scalars that
/// all workers have; it pulls before it pushes, as often as the others; and it asks for nothing
/// where a table has no step. Then no worker waits for ever: a pull of a step waits for pushes of
/// the steps before alone, which no worker comes to after that pull, whatever collectives stand
/// between them. Modules without tables are right. Errors are at the operations.
llvm::LogicalResult verifyServedOrder(mlir::ModuleOp module, const UniformityAnalysis &uniformity);

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_ORDER_SERVEDORDER_H
