// ONNX Runtime's sums over ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_NCCLNODES_H
#define TUTTI_LIB_FRONTEND_GRAPH_NCCLNODES_H

#include "lib/frontend/model/TensorScope.h"

namespace tutti::frontend {

/// Imports a node of operator NcclAllReduce as `collective.all_reduce`, on a group of the module
/// that has the members which the node's `group_type` means, or a new one. Failure after a
/// diagnostic.
mlir::LogicalResult importNcclAllReduce(const proto::NodeProto &node, TensorScope &scope,
                                        mlir::OpBuilder &builder, mlir::Location location);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_NCCLNODES_H
