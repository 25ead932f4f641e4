// Which initializers are variables of a training program, and of which class.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_VARIABLECLASSES_H
#define TUTTI_LIB_FRONTEND_GRAPH_VARIABLECLASSES_H

#include "lib/frontend/graph/NodeOrder.h"

#include "dialects/train/Train.h"

#include <optional>

namespace tutti::frontend {

/// An initializer that is kept between steps.
struct Variable {
  const proto::TensorProto *initial;
  train::VariableClass kind;
  mlir::RankedTensorType type;

  llvm::StringRef name() const { return initial->name(); }
};

/// How the nodes of a graph use tensors, which is all that a model says about its parameters.
class TensorUses {
public:
  explicit TensorUses(const NodeList &nodes);

  /// The class of a float initializer that no binding updates: running statistics of
  /// BatchNormalization are `other`; what only says how an operator works (a dropout ratio, the
  /// bounds of Clip) is a constant, as is what nobody uses; all else is trainable. Initializers of
  /// other types are constants.
  std::optional<train::VariableClass> classOfParameter(const proto::TensorProto &tensor) const;

  /// The class of an initializer that is updated by a binding: `trainable` if something is
  /// differentiated by it, `state` if an optimizer keeps it, else `other`.
  train::VariableClass classOfUpdated(llvm::StringRef name) const;

  /// Whether an optimizer takes `name` as its learning rate.
  bool isLearningRate(llvm::StringRef name) const { return learningRates.contains(name); }

private:
  void addUses(const proto::NodeProto &node);
  void addTrainingUses(const proto::NodeProto &node);

  llvm::StringSet<> parameters, statistics, differentiated, states, learningRates;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_VARIABLECLASSES_H
