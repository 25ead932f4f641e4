// Proposals of where ops write their results, made on tensors. One-Shot Bufferize stays the judge
// of every write, so a proposal that is not safe costs a copy, never a wrong number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_BUFFERIZATION_DESTINATIONS_H
#define TUTTI_PASSES_BUFFERIZATION_DESTINATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::bufferization {

/// Lets the op that makes `value` write into `destination`, through a chain of ops that overwrite
/// one buffer, and moves it after the last reader of what `destination` holds.
void proposeDestination(mlir::Value value, mlir::Value destination);

/// Lets elementwise loops overwrite an input that nothing needs any more: less memory, and warm.
void reuseInputs(mlir::func::FuncOp function);

/// Lets each `scf.for` that starts from a constant start from a filled tensor of its own, which it
/// may overwrite.
void fillLoopStarts(mlir::func::FuncOp function);

/// Lets each iteration of an `scf.for` leave what it carries where the last one left it. Afterwards
/// this holds in any case, if need be by a copy.
void proposeInLoops(mlir::func::FuncOp function);

} // namespace tutti::bufferization

#endif // TUTTI_PASSES_BUFFERIZATION_DESTINATIONS_H
