// The steps of specialisation: what folds for a number of ranks, what waited for it, and the types
// that follow from the batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SPECIALIZE_SPECIALIZATION_H
#define TUTTI_PASSES_SPECIALIZE_SPECIALIZATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace tutti::specialize {

/// Folds collectives, questions about groups, batch weights and what is computed from these two, in
/// all of `module`, and erases what is dead then. No other operation is folded or moved, so that a
/// program for one rank comes back as it was before distribution. Returns the number of erased
/// operations.
unsigned foldWorld(mlir::ModuleOp module);

/// Takes the names of the passes that `module` put off away from it and adds those to `passes` that
/// run on so many ranks. A name that is no pass is an error.
mlir::LogicalResult takeAtLaunch(mlir::ModuleOp module, int64_t ranks, mlir::OpPassManager &passes);

/// The same of the passes that waited for the samples which a rank takes.
mlir::LogicalResult takeAtBatch(mlir::ModuleOp module, mlir::OpPassManager &passes);

/// Writes sizes that `op` has as operands, or computes, as numbers where they are constants or
/// follow from the types of its operands. Gives what stands in the place of `op` then, or `op`.
/// Results may have more precise types than before.
mlir::Operation *makeSizesStatic(mlir::Operation *op);

/// Walks the function in order, loops and branches included, and makes the types of results as
/// precise as their ops can infer them, then gives the function the type of its arguments and
/// returned values. Never makes a type less precise. Fails, with an error, where the operands of an
/// op do not fit together any more.
mlir::LogicalResult refineTypes(mlir::func::FuncOp function);

/// Whether every rank computes the function on all samples of a global batch.
bool takesWholeBatches(mlir::func::FuncOp function);

} // namespace tutti::specialize

#endif // TUTTI_PASSES_SPECIALIZE_SPECIALIZATION_H
