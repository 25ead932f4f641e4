// The loss of a forward graph: added to its scores, or found among its outputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_LOSSOFGRAPH_H
#define TUTTI_PASSES_GRADIENT_LOSSOFGRAPH_H

#include "passes/gradient/ForwardFunction.h"
#include "passes/gradient/Recipe.h"

#include "dialects/onnx/Onnx.h"

namespace tutti::gradient {

struct LossOfGraph {
  mlir::Value value; ///< a scalar
  /// The graph's results that are neither the loss nor the scores it was made of.
  llvm::SmallVector<ForwardFunction::Result> otherResults;

  /// Adds the loss to `function`, whose results are those of the graph, and, if `loss` needs it,
  /// the input `label`. Fails with a diagnostic when the graph has not the outputs that `loss` asks
  /// for.
  static mlir::FailureOr<LossOfGraph> add(ForwardFunction function, Recipe::Loss loss);

  /// Whether the loss is a plain mean of the losses of samples.
  bool canBePerSample() const;
  /// Replaces the mean by the losses of the samples, [batch].
  mlir::Value makePerSample();
  /// Whether the largest score of each sample stands at its label, [batch]; null where scores are
  /// not of classes.
  mlir::Value addAccuracy(mlir::OpBuilder &builder);

private:
  mlir::Value ofElements; ///< where the loss is a mean over all elements: their losses
  onnx::SoftmaxCrossEntropyLossOp crossEntropy() const {
    return value.getDefiningOp<onnx::SoftmaxCrossEntropyLossOp>();
  }
};

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_LOSSOFGRAPH_H
