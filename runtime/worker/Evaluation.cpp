// Evaluation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/Evaluation.h"

#include "runtime/data/BatchLoader.h"
#include "runtime/worker/AreaUnderCurve.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <cmath>

namespace tutti::runtime::worker {
namespace {

/// Sums, and scores of areas, of one rank over the valid rows of its batches.
class Accumulator {
public:
  Accumulator(const Manifest::Evaluation &what, data::RowGatherer gatherer)
      : what(what), gatherer(std::move(gatherer)), sums(2 * what.metrics.size() + 1),
        areas(what.metrics.size()) {}

  int64_t batches() const { return (gatherer.rows() + what.batch - 1) / what.batch; }

  /// Loads batch `number` and returns how many of its rows are valid.
  int64_t load(int64_t number, void *const *inputs) {
    std::vector<int64_t> rows(what.batch);
    int64_t first = number * what.batch, last = gatherer.rows() - 1;
    for (int64_t i = 0; i < what.batch; ++i)
      rows[i] = std::min(first + i, last);
    gatherer.gather(rows, inputs);
    return std::clamp(gatherer.rows() - first, int64_t(0), what.batch);
  }

  void add(int64_t valid, void *const *results) {
    for (size_t m = 0; m < what.metrics.size(); ++m)
      add_metric(m, valid, results);
    sums.back() += double(valid);
  }

  /// Each metric times its weights, and the weights, metric by metric; then the number of rows.
  std::vector<double> &totals() { return sums; }

  /// Of metric `m`, which is one.
  AreaUnderCurve &area(size_t m) { return areas[m]; }

private:
  double value(size_t m, int64_t i, void *const *results) const {
    return read_number(what.metrics[m].type, results[m], i);
  }

  /// A metric may have several values a sample.
  void add_metric(size_t m, int64_t valid, void *const *results) {
    const Tensor &metric = what.metrics[m];
    const Manifest::Mean &mean = what.means[m];
    int64_t width = 1;
    for (size_t d = 1; d < metric.shape.size(); ++d)
      width *= metric.shape[d];
    for (int64_t i = 0; i < valid * width; ++i) {
      double counts = mean.weight < 0 ? 1 : value(mean.weight, i, results);
      if (counts == 0) // whatever the value is
        continue;
      if (mean.is_area())
        areas[m].add(value(m, i, results), value(mean.label, i, results), counts);
      sums[2 * m] += counts * value(m, i, results);
      sums[2 * m + 1] += counts;
    }
  }

  const Manifest::Evaluation &what;
  data::RowGatherer gatherer;
  std::vector<double> sums;
  std::vector<AreaUnderCurve> areas;
};

/// What is reported of a metric.
double reported(const Manifest::Mean &mean, double sum, double count) {
  // Without anything that counts there is no mean; a metric without values is 0.
  double value = count != 0 || mean.weight >= 0 ? sum / count : 0;
  return mean.is_exponential ? std::exp(value) : value;
}

} // namespace

Error evaluate(tutti_context *context, const Program &program, const Buffers &buffers,
               const data::Dataset &dataset, RankSummary &summary) {
  const Manifest::Evaluation &what = *program.manifest.evaluation;
  Result<std::vector<data::BoundArray>> arrays = dataset.bind(what.inputs);
  if (!arrays)
    return arrays.error();
  Accumulator accumulator(what, data::RowGatherer(std::move(*arrays)));
  int32_t rank = tutti_context_rank(context), ranks = tutti_context_size(context);
  for (int64_t first = 0; first < accumulator.batches(); first += ranks) {
    int64_t valid = accumulator.load(first + rank, buffers.evaluation_inputs.data());
    program.evaluate(context, buffers.evaluation_variables.data(), buffers.evaluation_inputs.data(),
                     buffers.evaluation_results.data(), buffers.arena);
    accumulator.add(valid, buffers.evaluation_results.data());
  }
  std::vector<double> &sums = accumulator.totals();
  void *in_place = sums.data();
  int64_t count = sums.size();
  int64_t behind_plan = program.manifest.plan.size();
  tutti_all_reduce(context, behind_plan, TUTTI_GROUP_WORLD, TUTTI_SUM, TUTTI_F64, 1, &in_place,
                   &in_place, &count);
  summary.evaluated_samples = int64_t(sums.back());
  summary.evaluation_metrics = what.metrics.size();
  for (size_t m = 0; m < what.metrics.size(); ++m)
    summary.evaluation[m] = reported(what.means[m], sums[2 * m], sums[2 * m + 1]);
  for (size_t m = 0; m < what.metrics.size(); ++m)
    if (what.means[m].is_area()) {
      Result<double> area = accumulator.area(m).over_ranks(context, behind_plan);
      if (!area)
        return Error::make(area.error().status, "metric '", what.metrics[m].name,
                           "' of the evaluation: ", area.error().message);
      summary.evaluation[m] = *area;
    }
  return {tutti_context_status(context), tutti_context_message(context)};
}

} // namespace tutti::runtime::worker
