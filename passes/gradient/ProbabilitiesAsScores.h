// A loss that takes scores, after a model that makes probabilities of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_PROBABILITIESASSCORES_H
#define TUTTI_PASSES_GRADIENT_PROBABILITIESASSCORES_H

#include "passes/gradient/ForwardFunction.h"
#include "passes/gradient/recipe/Recipe.h"

namespace tutti::gradient {

/// Warns where the recipe's loss, or one that the graph has, gets other numbers than it takes:
/// probabilities instead of the scores that Softmax or Sigmoid makes them of, or instead of
/// logarithms. That trains, and badly. What moves, converts or clips numbers may stand between.
void warnOfProbabilities(ForwardFunction forward, const Recipe &recipe);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_PROBABILITIESASSCORES_H
