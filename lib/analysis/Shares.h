// What each rank holds of the values of a function: uniformity, with three words for what varies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_ANALYSIS_SHARES_H
#define TUTTI_LIB_ANALYSIS_SHARES_H

#include "dialects/interfaces/Share.h"
#include "lib/analysis/Uniformity.h"

namespace tutti {

/// A sparse forward interpretation of one function, in program order. `Replicated` is exactly what
/// the uniformity analysis proves; `Partial` and `Part` are claimed only where a rule below, or the
/// operation (ShareOpInterface), says so; all else is `Own`. Rounding is not looked at: what is
/// linear is taken for linear. Linear in the operations.
///
/// - Arguments: sharded variables and inputs of sharded datasets are parts.
/// - A reduce_scatter or scatter makes parts; the weights of the ranks (train.batch_weight) add up
///   to one, so each is a summand.
/// - A slice of a replicated value, at an offset of the rank's own, is a part.
/// - What works element by element on parts, which are taken to be cut alike, and on replicated
///   values makes parts.
/// - Sums and differences of summands, and summands times or over replicated values, are summands;
///   so is the sum of squares of parts, and a replicated value times a summand.
/// - What only moves or converts elements keeps their share; so does the wait for what was started.
///
/// The object describes the function as it was; rebuild it after a change.
class ShareAnalysis {
public:
  ShareAnalysis(mlir::FunctionOpInterface function, const UniformityAnalysis &uniformity);

  Share get(mlir::Value value) const;

private:
  void visit(mlir::Operation *op);
  Share getResultShare(mlir::OpResult result) const;

  const UniformityAnalysis &uniformity;
  llvm::DenseMap<mlir::Value, Share> shares; ///< of what is not `Own` and not `Replicated`
};

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_SHARES_H
