// What @evaluate returns: the values of metrics, sample after sample, and how much each counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_EVALUATION_H
#define TUTTI_PASSES_GRADIENT_EVALUATION_H

#include "passes/gradient/LossOfGraph.h"

namespace tutti::gradient {

struct Evaluation {
  llvm::SmallVector<ForwardFunction::Result> results;
  /// What joins the samples of a batch, where the loss follows from a whole global batch alone.
  mlir::Operation *joins = nullptr;
};

/// Takes the loss apart: `function`, a copy of @forward with `loss` added, then computes it for
/// each sample, or for each label of a sample where it has several. Of a cross entropy there is the
/// accuracy too, and the perplexity where a sample has several labels; of logits and probabilities,
/// one a sample, the area under the ROC curve. Labels that the loss ignores
/// do not count, and those of a class count as much as the loss says. A loss that cannot be taken
/// apart is evaluated as it is: a mean, sum, maximum or minimum over the samples of a batch is that
/// over all of them; of anything else the mean over whole global batches is evaluated.
Evaluation addEvaluation(ForwardFunction function, const LossOfGraph &loss);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_EVALUATION_H
