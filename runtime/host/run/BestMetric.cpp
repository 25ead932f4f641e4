// Finds the metric that --best names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/BestMetric.h"

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

Result<std::optional<BestMetric>> BestMetric::find(const RunConfig &config,
                                                   const Manifest &manifest) {
  auto refuse = [&](const auto &...why) {
    return Error::make(TUTTI_INVALID_ARGUMENT, "--best ", config.best, ": ", why...);
  };
  if (config.best.empty())
    return std::optional<BestMetric>();
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
  BestMetric best;
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
  best.name = metric;
  return std::optional<BestMetric>(std::move(best));
}

} // namespace tutti::runtime::worker
