// What ONNX Runtime has for communication: NcclAllReduce, NcclAllGather, AllToAll, Send and Recv.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_EXPORT_COLLECTIVENODES_H
#define TUTTI_LIB_FRONTEND_EXPORT_COLLECTIVENODES_H

#include "lib/frontend/export/GraphWriter.h"

namespace tutti::frontend {

/// Whether `op` is one node: a sum over ranks, of one element type that NcclAllReduce takes.
bool isNcclSum(mlir::Operation *op);

/// Adds the node of such an operation. Failure after a diagnostic if its group has no number.
mlir::LogicalResult writeNcclSum(mlir::Operation *op, GraphWriter &writer);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_EXPORT_COLLECTIVENODES_H
