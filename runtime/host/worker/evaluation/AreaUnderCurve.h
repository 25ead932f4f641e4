// The area under the ROC curve of scores that the ranks hold: exact, and the same on any number of
// ranks where labels are 0 and 1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_EVALUATION_AREAUNDERCURVE_H
#define TUTTI_RUNTIME_HOST_WORKER_EVALUATION_AREAUNDERCURVE_H

#include "runtime/support/Error.h"
#include "tutti/context.h"

#include <vector>

namespace tutti::runtime::worker {

/// The share of the pairs of a positive and a negative sample in which the positive one has the
/// larger score; a pair of equal scores counts half.
class AreaUnderCurve {
public:
  /// A sample of this rank that counts `weight` times: `label` of it as positive, the rest as
  /// negative.
  void add(double score, double label, double weight);

  /// Over the samples of all ranks, which call it together; the collectives go under `plan_entry`.
  /// Not a number where a score is none. An error says that there are samples of one class only, or
  /// a label that is not between 0 and 1; all ranks have it.
  Result<double> over_ranks(tutti_context *context, int64_t plan_entry);

private:
  struct Sample {
    double score, positive, negative;
  };

  void sort_and_merge();
  double pairs_won(const std::vector<double> &scores, const std::vector<double> &negatives) const;
  double pairs_won_of_all(tutti_context *context, int64_t plan_entry) const;

  std::vector<Sample> samples;
  double bad_scores = 0, bad_labels = 0; ///< how many
};

/// `own` of each rank, in the order of the ranks, which call it together under `plan_entry`. What a
/// failed collective leaves is this rank's; the context says so.
std::vector<int64_t> of_all_ranks(tutti_context *context, int64_t plan_entry, int64_t own);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_EVALUATION_AREAUNDERCURVE_H
