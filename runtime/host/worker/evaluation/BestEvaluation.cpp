// The best of the evaluations of a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/evaluation/BestEvaluation.h"

#include <cmath>

namespace tutti::runtime::worker {

Result<std::optional<BestEvaluation>> BestEvaluation::create(const RunConfig &config,
                                                             const Manifest &manifest) {
  Result<std::optional<BestMetric>> found = BestMetric::find(config, manifest);
  if (!found)
    return found.error();
  if (!*found)
    return std::optional<BestEvaluation>();
  BestEvaluation best;
  best.compared = **found;
  best.early_stop = config.early_stop;
  best.best.metric = best.compared.spelled();
  return std::optional<BestEvaluation>(std::move(best));
}

void BestEvaluation::resume(const rundir::BestStep &saved) {
  if (saved.metric == best.metric)
    best = saved;
}

bool BestEvaluation::see(int64_t steps_done, const double *values) {
  double value = values[compared.place];
  bool is_first = best.step < 0;
  bool is_better = !std::isnan(value) &&
                   (is_first || (compared.is_largest ? value > best.value : value < best.value));
  if (!is_better) {
    ++best.later_evaluations;
    return false;
  }
  best.value = value;
  best.step = steps_done;
  best.later_evaluations = 0;
  return true;
}

} // namespace tutti::runtime::worker
