// Nodes that stand for operations that ONNX does not have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_OPERATIONCALLS_H
#define TUTTI_LIB_FRONTEND_GRAPH_OPERATIONCALLS_H

#include "lib/frontend/model/TensorScope.h"

namespace tutti::frontend {

/// Whether `node` says of which operation it is; see OperationNodes.h.
bool isOperationCall(const proto::NodeProto &node);

/// Makes the operation of such a node again. Failure after a diagnostic.
mlir::LogicalResult importOperationCall(const proto::NodeProto &node, TensorScope &scope,
                                        mlir::OpBuilder &builder, mlir::Location location);

/// Whether `text` is longer, or its brackets nest deeper, than what is exported.
bool isTooMuchText(llvm::StringRef text);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_OPERATIONCALLS_H
