// Roles of what @evaluate returns besides metrics that are plain means. Apart from Train.h because
// few ask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_EVALUATIONROLES_H
#define TUTTI_TRAIN_EVALUATIONROLES_H

#include "llvm/ADT/StringRef.h"

namespace tutti::train {

/// A metric of which e to the power of its mean is reported: a perplexity. Its value is the name.
inline constexpr llvm::StringLiteral kExponentialMetric = "train.exponential_metric";
/// How much each value of some metrics counts in their means. Its value is an array of their names.
inline constexpr llvm::StringLiteral kMetricWeight = "train.metric_weight";

} // namespace tutti::train

#endif // TUTTI_TRAIN_EVALUATIONROLES_H
