// Pulls that one request asks for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_PS_PULLGROUP_H
#define TUTTI_PASSES_CONVERSION_PS_PULLGROUP_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/SmallVector.h"

namespace tutti::conversion {

/// Pulls of a block, in their order, that can all stand where the first of them does.
using PullGroup = llvm::SmallVector<mlir::Operation *>;

/// Divides the pulls of `block` into groups, as few as can be: between the pulls of a group nothing
/// pushes, and none asks for rows that another one tells. What computes their indices is moved
/// before the first of them.
llvm::SmallVector<PullGroup> groupPulls(mlir::Block &block);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_PS_PULLGROUP_H
