// How means over the samples of one rank become means over the samples of all ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_RANKMEAN_H
#define TUTTI_PASSES_DISTRIBUTION_RANKMEAN_H

#include "dialects/train/Train.h"
#include "lib/program/Program.h"

namespace tutti::distribution {

/// The mean over all samples is the plain mean over ranks where ranks hold equal parts of the
/// batch, else the sum of means weighted by the parts. The weight is placed here and nowhere else.
class RankMean {
public:
  /// Reads the policy off the datasets that feed `@step`. Fails, with an error, when several
  /// datasets feed it and one is weighted: it is not said which parts weight what.
  static mlir::FailureOr<RankMean> find(program::Program program);

  /// The dataset whose unequal parts weight the means; null where the parts are equal.
  mlir::FlatSymbolRefAttr getWeighted() const { return weighted; }

  /// Builds the means over all samples of `localMeans` (float tensors) at the builder's point, as
  /// one bucket for each element type. The results are in the order of the operands.
  llvm::SmallVector<mlir::Value> build(mlir::OpBuilder &builder, mlir::Location loc,
                                       mlir::ValueRange localMeans) const;

  /// The same for means of gradients that are taken within the backward pass. The loss of a rank is
  /// a mean over its part of the batch, a share w of the whole, so that its gradients are 1/w times
  /// those of the loss over all samples. The results have the scale of this rank's gradients: the
  /// sum over ranks of w * w * mean, divided by this rank's w.
  llvm::SmallVector<mlir::Value> buildOfGradients(mlir::OpBuilder &builder, mlir::Location loc,
                                                  mlir::ValueRange localMeans) const;

  /// This rank's share of `number`, a float tensor: in proportion to the part of the batch it
  /// holds.
  mlir::Value buildShare(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number) const;

  /// The inverse: the mean over all samples of the results is the sum over ranks of `number`.
  mlir::Value buildSummand(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number) const;

  /// What `values` (train.batch_sum of float tensors, or anything else) become over all ranks: the
  /// sum of what a train.batch_sum takes, and the mean of others. Results are in their order.
  llvm::SmallVector<mlir::Value> buildSumsAndMeans(mlir::OpBuilder &builder, mlir::Location loc,
                                                   mlir::ValueRange values) const;

private:
  mlir::Value buildWeight(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value like) const;

  RankMean(mlir::ModuleOp module, mlir::FlatSymbolRefAttr weighted)
      : module(module), weighted(weighted) {}

  mlir::ModuleOp module;
  mlir::FlatSymbolRefAttr weighted; ///< the dataset whose parts are unequal, or null
};

/// Whether nothing but its reduction over the ranks waits for what `sum` takes: it is used as a
/// gradient or a metric alone. Then the reduction is a sum, and no share is divided out.
bool isReducedAsSum(train::BatchSumOp sum);

/// Erases each train.batch_sum of `step` that nothing uses any more.
void eraseUnusedSums(mlir::func::FuncOp step);

/// Indices of `values` by element type, in the order in which types appear first.
llvm::SmallVector<llvm::SmallVector<unsigned>> groupByElementType(mlir::ValueRange values);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_RANKMEAN_H
