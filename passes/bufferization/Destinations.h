// Proposals of where and when ops write their results, made on tensors. One-Shot Bufferize stays
// the judge of every write, so a proposal that is not safe costs a copy, never a wrong number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_BUFFERIZATION_DESTINATIONS_H
#define TUTTI_PASSES_BUFFERIZATION_DESTINATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::bufferization {

/// Lets the op that makes `value` write into `destination`, through a chain of ops that overwrite
/// one buffer, and moves it after the last reader of what `destination` holds.
void proposeDestination(mlir::Value value, mlir::Value destination);

/// Whether `op` gives a view of its first operand, a tensor.
bool isView(mlir::Operation *op);

/// The tensor of which `value` is a view, over any number of views; itself if it is none.
mlir::Value viewedBy(mlir::Value value);

/// Lets elementwise loops overwrite an input that nothing needs any more: less memory, and warm.
void reuseInputs(mlir::func::FuncOp function);

/// Lets each `scf.for` that starts from a constant start from a filled tensor of its own, which it
/// may overwrite.
void fillLoopStarts(mlir::func::FuncOp function);

/// Lets each iteration of an `scf.for` leave what it carries where the last one left it. Afterwards
/// this holds in any case, if need be by a copy.
void proposeInLoops(mlir::func::FuncOp function);

/// Moves each update of a variable up, to where its operands are known and the old value has been
/// read for the last time: its gradient lives no longer, and is still in the cache. `variables` are
/// tensors that updates in `block` overwrite, those of a function or those that a loop carries.
/// Operations that only updates use move with them if they use results of updates or give scalars.
/// Nothing else moves, so communication keeps its order. Takes time in proportion to the uses of
/// values.
void placeUpdatesEarly(mlir::Block &block, mlir::ValueRange variables);

} // namespace tutti::bufferization

#endif // TUTTI_PASSES_BUFFERIZATION_DESTINATIONS_H
