// Takes an operation out of a program that shall still compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTOPT_STANDIN_H
#define TUTTI_TOOLS_DISTOPT_STANDIN_H

#include "mlir/IR/Operation.h"

namespace tutti {

/// Replaces the results of `op`, which stands in a function of a training program, and erases it:
/// by zeros where the shape is known, by a new input of the function where the batch is the only
/// size that is not. Fails, and changes nothing, where neither is possible.
llvm::LogicalResult replaceByStandIn(mlir::Operation *op);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTOPT_STANDIN_H
