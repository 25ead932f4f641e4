// What of a step depends on nothing but its batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_ANALYSIS_BATCHSLICE_H
#define TUTTI_LIB_ANALYSIS_BATCHSLICE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Error.h"

namespace tutti {

/// The operations of `function`, which has one block, that compute `value`, in the order in which
/// they stand there. They have no effects, and of the arguments they take those alone that are fed
/// with the batch. The error says what else `value` depends on; nothing is reported.
llvm::Expected<llvm::SmallVector<mlir::Operation *>> findBatchSlice(mlir::func::FuncOp function,
                                                                    mlir::Value value);

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_BATCHSLICE_H
