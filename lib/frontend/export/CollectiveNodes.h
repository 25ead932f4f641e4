// What ONNX Runtime has for communication: NcclAllReduce, Send and Recv as nodes; and what it asks
// of groups and types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_EXPORT_COLLECTIVENODES_H
#define TUTTI_LIB_FRONTEND_EXPORT_COLLECTIVENODES_H

#include "lib/frontend/export/GraphWriter.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace tutti::frontend {

/// The number that ONNX Runtime gives a group (group_type): all ranks, those of a node, or one of
/// each node. Failure after a diagnostic for others.
mlir::FailureOr<int64_t> findGroupType(mlir::Operation *op, mlir::FlatSymbolRefAttr name);

/// Fails, with a diagnostic, if an operand has elements that collectives of ONNX Runtime do not
/// take.
mlir::LogicalResult checkNcclTypes(mlir::Operation *op);

/// Whether `op` is one node: a sum over ranks of tensors of one element type.
bool isNcclSum(mlir::Operation *op);

/// Adds the node of such an operation. Failure after a diagnostic.
mlir::LogicalResult writeNcclSum(mlir::Operation *op, GraphWriter &writer);

/// Whether `op` is a message between two ranks.
bool isMessage(mlir::Operation *op);

/// Adds a Send or Recv. Failure after a diagnostic.
mlir::LogicalResult writeMessage(mlir::Operation *op, GraphWriter &writer);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_EXPORT_COLLECTIVENODES_H
