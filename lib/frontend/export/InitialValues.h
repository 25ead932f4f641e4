// What variables start from, of a program that may be distributed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_EXPORT_INITIALVALUES_H
#define TUTTI_LIB_FRONTEND_EXPORT_INITIALVALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace tutti::frontend {

/// Adds the operation that makes `value` to `found`, with all that it needs.
void addProducers(mlir::Value value, llvm::DenseSet<mlir::Operation *> &found);

/// The value that a variable starts from on every rank: what `result` of @initialize is before it
/// is broadcast. Each rank reads it from the model, so the broadcast is left out. Failure after a
/// diagnostic if the ranks would compute different ones.
mlir::FailureOr<mlir::Value> findInitialValue(mlir::Value result);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_EXPORT_INITIALVALUES_H
