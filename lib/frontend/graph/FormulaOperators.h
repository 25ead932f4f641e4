// Operators that only the rows of the table of formulas use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_FORMULAOPERATORS_H
#define TUTTI_LIB_FRONTEND_GRAPH_FORMULAOPERATORS_H

#include "lib/frontend/forms/ImportedNode.h"

namespace tutti::frontend {

/// Imports an operator of `formulaDomain`, see there. Failure after a diagnostic.
mlir::LogicalResult importFormulaOperator(const proto::NodeProto &node, TensorScope &scope,
                                          mlir::OpBuilder &builder, mlir::Location location);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_FORMULAOPERATORS_H
