// The best of the evaluations of a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/evaluation/BestEvaluation.h"

#include <cmath>

namespace tutti::runtime::worker {
namespace {

/// Whether much of a metric is good, where its name tells.
std::optional<bool> is_largest_best(const std::string &metric) {
  for (const char *name : {"accuracy", "auc"})
    if (metric == name)
      return true;
  for (const char *name : {"loss", "perplexity"})
    if (metric == name)
      return false;
  return std::nullopt;
}

std::string names_of(const Manifest::Evaluation &evaluation) {
  std::string names;
  for (size_t m = 0; m < evaluation.metrics.size(); ++m)
    if (evaluation.means[m].is_reported())
      names += (names.empty() ? "" : ", ") + evaluation.metrics[m].name;
  return names;
}

} // namespace

Result<std::optional<BestEvaluation>> BestEvaluation::create(const RunConfig &config,
                                                             const Manifest &manifest) {
  auto refuse = [&](const auto &...why) {
    return Error::make(TUTTI_INVALID_ARGUMENT, "--best ", config.best, ": ", why...);
  };
  if (config.best.empty())
    return std::optional<BestEvaluation>();
  if (!manifest.tables.empty())
    return refuse("tables on servers cannot be set back to the best step: leave --best away, or "
                  "--distribute=\"serve=...\"");
  std::string metric = config.best;
  std::optional<bool> is_largest;
  for (const char *direction : {":min", ":max"})
    if (size_t end = metric.size() - 4; metric.size() > 4 && metric.substr(end) == direction) {
      metric.resize(end);
      is_largest = direction == std::string(":max");
      break;
    }
  BestEvaluation best;
  const Manifest::Evaluation &evaluation = *manifest.evaluation; // checked with the data
  while (best.place < evaluation.metrics.size() && (evaluation.metrics[best.place].name != metric ||
                                                    !evaluation.means[best.place].is_reported()))
    ++best.place;
  if (best.place == evaluation.metrics.size())
    return refuse("the evaluation has no '", metric, "'; it has ", names_of(evaluation));
  if (!is_largest)
    is_largest = is_largest_best(metric);
  if (!is_largest)
    return refuse("say whether little or much is good: ", metric, ":min or ", metric, ":max");
  best.is_largest = *is_largest;
  best.early_stop = config.early_stop;
  best.best.metric = metric + (*is_largest ? ":max" : ":min");
  return std::optional<BestEvaluation>(std::move(best));
}

void BestEvaluation::resume(const rundir::BestStep &saved) {
  if (saved.metric == best.metric)
    best = saved;
}

bool BestEvaluation::see(int64_t steps_done, const double *values) {
  double value = values[place];
  bool is_first = best.step < 0;
  bool is_better =
      !std::isnan(value) && (is_first || (is_largest ? value > best.value : value < best.value));
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
