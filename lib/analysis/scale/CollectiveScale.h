// What collectives do to the scale of a value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_ANALYSIS_SCALE_COLLECTIVESCALE_H
#define TUTTI_LIB_ANALYSIS_SCALE_COLLECTIVESCALE_H

#include "lib/analysis/scale/GradientScale.h"

namespace tutti {

/// The part of the interpretation that knows collectives.
class CollectiveScale {
public:
  explicit CollectiveScale(GradientScaleAnalysis &analysis) : analysis(analysis) {}

  /// Sets what is known of the results of `op`; false for an operation of which it knows nothing.
  bool visit(mlir::Operation *op);

private:
  RankScale reduce(mlir::Operation *op, RankScale scale, Reduction kind, GroupOpInterface group);
  RankScale scatter(RankScale scale, GroupOpInterface group);
  RankScale gather(RankScale scale, GroupOpInterface group);
  RankScale broadcast(mlir::Operation *op, RankScale scale);

  GradientScaleAnalysis &analysis;
};

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_SCALE_COLLECTIVESCALE_H
