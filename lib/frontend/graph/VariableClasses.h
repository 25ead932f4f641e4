// Which initializers are variables of a training program, and of which class.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_VARIABLECLASSES_H
#define TUTTI_LIB_FRONTEND_GRAPH_VARIABLECLASSES_H

#include "lib/frontend/functions/FunctionBodies.h"
#include "lib/frontend/graph/NodeOrder.h"

#include "dialects/train/Train.h"

#include <map>
#include <memory>
#include <optional>

namespace tutti::frontend {

/// An initializer that is kept between steps, or what else is kept under a name.
struct Variable {
  const proto::TensorProto *initial; ///< null where `ownName` is its name
  train::VariableClass kind;
  mlir::RankedTensorType type;
  std::string ownName = {};

  llvm::StringRef name() const { return initial ? initial->name() : ownName; }
};

/// How the nodes of a graph use tensors, which is all that a model says about its parameters. What
/// a function of the model or a subgraph does with a tensor counts.
class TensorUses {
public:
  /// `functions` are those of the nodes' model.
  TensorUses(const NodeList &nodes, const FunctionBodies &functions);

  /// The class of a float initializer that no binding updates: running statistics of
  /// BatchNormalization are `other`, and so are scalars (a temperature, an epsilon), which train
  /// only if a recipe asks for them; what only says how an operator works (a dropout ratio, the
  /// bounds of Clip, an exponent of rank 0) is a constant, as is what nobody uses; all else is
  /// trainable. Initializers of other types are constants.
  std::optional<train::VariableClass> classOfParameter(const proto::TensorProto &tensor) const;

  /// Whether more than the running statistics of a normalization, and settings, are calculated with
  /// `name`.
  bool isCalculatedWith(llvm::StringRef name) const { return parameters.contains(name); }

  /// The class of an initializer that is updated by a binding: `trainable` if something is
  /// differentiated by it, `state` if an optimizer keeps it, else `other`.
  train::VariableClass classOfUpdated(llvm::StringRef name) const;

  /// Whether an optimizer takes `name` as its learning rate.
  bool isLearningRate(llvm::StringRef name) const { return learningRates.contains(name); }

private:
  /// What each function does with its inputs; null while that is being found out.
  struct Functions {
    const FunctionBodies &bodies;
    std::map<const proto::FunctionProto *, std::unique_ptr<TensorUses>> uses;
    int depth = 0;
  };

  TensorUses() = default;
  void addAll(const NodeList &nodes, Functions &functions);
  void addUses(const proto::NodeProto &node, Functions &functions);
  /// Failure if the function calls itself, or goes too deep, which is refused when it is expanded.
  mlir::LogicalResult addUsesOfFunction(const proto::NodeProto &call,
                                        const proto::FunctionProto &function, Functions &functions);
  void addTrainingUses(const proto::NodeProto &node);
  void addBias(const proto::NodeProto &add);
  bool isScalar(const proto::TensorProto &tensor) const;

  llvm::StringSet<> parameters, statistics, differentiated, states, learningRates;
  llvm::StringSet<> exponents; ///< which are parameters if they are tensors
  llvm::StringSet<> products;  ///< results of matrix products
  llvm::StringSet<> weights;   ///< parameters that are more than a number to calculate with
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_VARIABLECLASSES_H
