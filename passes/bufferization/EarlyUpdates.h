// Where in a step variables are updated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_BUFFERIZATION_EARLYUPDATES_H
#define TUTTI_PASSES_BUFFERIZATION_EARLYUPDATES_H

#include "mlir/IR/Block.h"
#include "mlir/IR/ValueRange.h"

namespace tutti::bufferization {

/// Moves each update of a variable up, to where its operands are known and the old value has been
/// read for the last time: its gradient lives no longer, and is still in the cache. `variables` are
/// tensors that updates in `block` overwrite, those of a function or those that a loop carries.
/// What only updates need and is made of what they give, and scalars that only they need, come with
/// them; nothing else moves, so communication keeps its order. Takes time in proportion to the uses
/// of values.
void placeUpdatesEarly(mlir::Block &block, mlir::ValueRange variables);

} // namespace tutti::bufferization

#endif // TUTTI_PASSES_BUFFERIZATION_EARLYUPDATES_H
