// The loss of a forward graph: added to its scores, or found among its outputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_LOSSOFGRAPH_H
#define TUTTI_PASSES_GRADIENT_LOSSOFGRAPH_H

#include "passes/gradient/ForwardFunction.h"
#include "passes/gradient/recipe/Recipe.h"

#include "dialects/onnx/Onnx.h"

namespace tutti::gradient {

struct LossOfGraph {
  mlir::Value value;          ///< a scalar
  mlir::Value ofElements;     ///< where `add` made the mean over all elements of something: that
  mlir::Value scores, labels; ///< [batch, classes, ...] and [batch, ...], where `add` compared them
  mlir::Value logits, truths; ///< one value a sample, where `add` compared them as probabilities
  /// The graph's results that are neither the loss nor the scores it was made of.
  llvm::SmallVector<ForwardFunction::Result> otherResults;

  /// Adds the loss to `function`, whose results are those of the graph, and, if the recipe's loss
  /// needs it, the input `label`. Fails with a diagnostic when the graph has not the outputs that
  /// the loss asks for.
  static mlir::FailureOr<LossOfGraph> add(ForwardFunction function, const Recipe &recipe);
};

/// What the loss will be computed from: the outputs of the graph, or the one that is the loss.
llvm::SmallVector<mlir::Value> valuesOfLoss(ForwardFunction forward, const Recipe &recipe);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_LOSSOFGRAPH_H
