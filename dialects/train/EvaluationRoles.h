// Roles of what @evaluate returns besides metrics that are plain means. Apart from Train.h because
// few ask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_EVALUATIONROLES_H
#define TUTTI_TRAIN_EVALUATIONROLES_H

#include "llvm/ADT/StringRef.h"

namespace tutti::train {

/// A metric of which e to the power of its mean is reported: a perplexity. Its value is the name.
inline constexpr llvm::StringLiteral kExponentialMetric = "train.exponential_metric";
/// A metric of which the sum over all samples is reported. Its value is the name.
inline constexpr llvm::StringLiteral kSumMetric = "train.sum_metric";
/// A metric that is one number for a whole batch. Evaluation combines the numbers of all batches by
/// a mean, a sum, a maximum or a minimum. The value is the name.
inline constexpr llvm::StringLiteral kMeanOfBatch = "train.batch_mean";
inline constexpr llvm::StringLiteral kSumOfBatch = "train.batch_sum";
inline constexpr llvm::StringLiteral kMaximumOfBatch = "train.batch_max";
inline constexpr llvm::StringLiteral kMinimumOfBatch = "train.batch_min";
/// A metric that is one number of a whole global batch, which its samples make together. Its mean
/// over batches is reported. Its value is the name.
inline constexpr llvm::StringLiteral kNumberOfWholeBatch = "train.whole_batch_metric";
inline constexpr llvm::StringLiteral kRolesOfBatch[] = {kMeanOfBatch, kSumOfBatch, kMaximumOfBatch,
                                                        kMinimumOfBatch, kNumberOfWholeBatch};
/// A metric of scores of which the area under the ROC curve is reported: the share of the pairs of
/// a positive and a negative sample in which the positive one has the larger score. Its value is
/// the name.
inline constexpr llvm::StringLiteral kAreaMetric = "train.area_metric";
/// The labels of such metrics: 1 for positive, 0 for negative. Its value is an array of their
/// names.
inline constexpr llvm::StringLiteral kMetricLabel = "train.metric_label";
/// How much each value of some metrics counts in their means. Its value is an array of their names.
inline constexpr llvm::StringLiteral kMetricWeight = "train.metric_weight";

} // namespace tutti::train

#endif // TUTTI_TRAIN_EVALUATIONROLES_H
