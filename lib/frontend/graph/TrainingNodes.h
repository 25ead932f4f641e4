// The operators of ai.onnx.preview.training as operations of the train dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_TRAININGNODES_H
#define TUTTI_LIB_FRONTEND_GRAPH_TRAININGNODES_H

#include "lib/frontend/model/TensorScope.h"

namespace tutti::frontend {

/// What import needs to know about an optimizer node: Momentum and Adagrad keep one state for each
/// variable, Adam two.
struct OptimizerForm {
  /// The form of the node's operator; none if it is no optimizer.
  static std::optional<OptimizerForm> of(const proto::NodeProto &node);

  /// How many variables the node updates; none when the number of its inputs cannot be.
  /// Inputs are R, T, variables, gradients, then each kind of state; outputs variables, then
  /// states.
  std::optional<int> countVariables(const proto::NodeProto &node) const;

  int states;
};

/// Imports Gradient, Momentum, Adagrad or Adam. Failure after a diagnostic.
mlir::LogicalResult importTrainingNode(const proto::NodeProto &node, TensorScope &scope,
                                       const ModelFile &file, TensorReader &tensors,
                                       mlir::OpBuilder &builder);

/// Imports a node of operator Gradient; see importTrainingNode.
mlir::LogicalResult importGradient(const proto::NodeProto &node, TensorScope &scope,
                                   const ModelFile &file, TensorReader &tensors,
                                   mlir::OpBuilder &builder);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_TRAININGNODES_H
