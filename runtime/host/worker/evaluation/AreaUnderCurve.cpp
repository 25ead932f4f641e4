// The area under the ROC curve. Each rank sorts its samples once; then the ranks show their
// negative samples to all others, one rank after the other, and each counts the pairs that its own
// positive ones win. So no rank holds more than its samples and those of one other. Numbers of
// pairs are whole numbers where labels are, and so exact up to 2^53: the order in which they are
// added makes no difference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/evaluation/AreaUnderCurve.h"

#include "tutti/collectives.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti::runtime::worker {
namespace {

/// In place: the sums over all ranks.
void sum_over_ranks(tutti_context *context, int64_t plan_entry, std::vector<double> &values) {
  void *in_place = values.data();
  int64_t count = values.size();
  tutti_all_reduce(context, plan_entry, TUTTI_GROUP_WORLD, TUTTI_SUM, TUTTI_F64, 1, &in_place,
                   &in_place, &count);
}

} // namespace

std::vector<int64_t> of_all_ranks(tutti_context *context, int64_t plan_entry, int64_t own) {
  std::vector<int64_t> all(tutti_context_size(context), own);
  const void *source = &own;
  void *destination = all.data();
  int64_t one = 1;
  tutti_all_gather(context, plan_entry, TUTTI_GROUP_WORLD, TUTTI_I64, 1, &source, &destination,
                   &one);
  return all;
}

void AreaUnderCurve::add(double score, double label, double weight) {
  if (weight == 0)
    return;
  bool is_label = label >= 0 && label <= 1;
  bad_scores += std::isnan(score);
  bad_labels += !is_label;
  if (is_label && !std::isnan(score))
    samples.push_back({score, weight * label, weight * (1 - label)});
}

/// Samples of equal scores become one.
void AreaUnderCurve::sort_and_merge() {
  std::sort(samples.begin(), samples.end(),
            [](const Sample &a, const Sample &b) { return a.score < b.score; });
  size_t count = 0;
  for (const Sample &sample : samples) {
    if (count > 0 && samples[count - 1].score == sample.score) {
      samples[count - 1].positive += sample.positive;
      samples[count - 1].negative += sample.negative;
    } else {
      samples[count++] = sample;
    }
  }
  samples.resize(count);
}

/// How many pairs the positive samples of this rank win against `negatives`, whose scores rise.
double AreaUnderCurve::pairs_won(const std::vector<double> &scores,
                                 const std::vector<double> &negatives) const {
  double won = 0, below = 0;
  size_t next = 0;
  for (const Sample &sample : samples) {
    for (; next < scores.size() && scores[next] < sample.score; ++next)
      below += negatives[next];
    bool is_tied = next < scores.size() && scores[next] == sample.score;
    won += sample.positive * (below + (is_tied ? negatives[next] / 2 : 0));
  }
  return won;
}

/// The same against the negative samples of all ranks.
double AreaUnderCurve::pairs_won_of_all(tutti_context *context, int64_t plan_entry) const {
  std::vector<double> own_scores, own_negatives;
  for (const Sample &sample : samples)
    if (sample.negative > 0) {
      own_scores.push_back(sample.score);
      own_negatives.push_back(sample.negative);
    }
  std::vector<int64_t> sizes = of_all_ranks(context, plan_entry, own_scores.size());
  double won = 0;
  for (int32_t rank = 0; rank < tutti_context_size(context); ++rank) {
    if (sizes[rank] == 0)
      continue;
    bool is_own = rank == tutti_context_rank(context);
    std::vector<double> scores = is_own ? own_scores : std::vector<double>(sizes[rank]);
    std::vector<double> negatives = is_own ? own_negatives : std::vector<double>(sizes[rank]);
    void *in_place[] = {scores.data(), negatives.data()};
    int64_t elements[] = {sizes[rank], sizes[rank]};
    tutti_broadcast(context, plan_entry, TUTTI_GROUP_WORLD, rank, TUTTI_F64, 2, in_place, in_place,
                    elements);
    if (tutti_context_status(context) != TUTTI_OK)
      return won;
    won += pairs_won(scores, negatives);
  }
  return won;
}

Result<double> AreaUnderCurve::over_ranks(tutti_context *context, int64_t plan_entry) {
  sort_and_merge();
  std::vector<double> sums = {pairs_won_of_all(context, plan_entry), 0, 0, bad_scores, bad_labels};
  for (const Sample &sample : samples) {
    sums[1] += sample.positive;
    sums[2] += sample.negative;
  }
  sum_over_ranks(context, plan_entry, sums);
  if (int32_t status = tutti_context_status(context))
    return Error{status, tutti_context_message(context)};
  if (sums[4] > 0)
    return Error::make(TUTTI_BAD_DATA, sums[4],
                       " labels are not between 0 and 1, of which there is no area under the ROC "
                       "curve");
  if (sums[3] > 0)
    return std::numeric_limits<double>::quiet_NaN();
  if (sums[1] == 0 || sums[2] == 0)
    return Error::make(TUTTI_BAD_DATA, "all labels are ", sums[1] == 0 ? 0 : 1,
                       "; the area under the ROC curve compares samples of both classes");
  return sums[0] / (sums[1] * sums[2]);
}

} // namespace tutti::runtime::worker
