// Evaluation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/evaluation/Evaluation.h"

#include "runtime/host/program/HostExchange.h"
#include "runtime/host/worker/evaluation/AreaUnderCurve.h"
#include "runtime/host/worker/evaluation/EvaluationRounds.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti::runtime::worker {
namespace {

using Batches = Manifest::Mean::Batches;

/// What one rank has of all metrics.
class Accumulator {
public:
  explicit Accumulator(const Manifest::Evaluation &what)
      : what(what), sums(2 * what.metrics.size() + 1), areas(what.metrics.size()),
        largest(2 * what.metrics.size(), -std::numeric_limits<double>::infinity()) {}

  /// The values of the first `valid` samples of a batch.
  void add_values(int64_t valid, void *const *results);
  /// The numbers of batches that repeat `prefixes`, one list for each metric.
  void add_numbers(const std::vector<int64_t> &prefixes,
                   const std::vector<std::vector<double>> &numbers);
  /// What each metric is over the samples of all ranks, which call it together.
  Error finish(tutti_context *context, int64_t plan_entry, RankSummary &summary);

private:
  double value(size_t m, int64_t i, void *const *results) const {
    return read_number(what.metrics[m].type, results[m], i);
  }
  void add_metric(size_t m, int64_t valid, void *const *results);
  double reported(size_t m) const;

  const Manifest::Evaluation &what;
  /// Each metric times its weights, and the weights, metric by metric; then the number of samples.
  std::vector<double> sums;
  std::vector<AreaUnderCurve> areas;
  std::vector<double> largest; ///< of each metric, and of its negative
};

/// A metric may have several values a sample.
void Accumulator::add_metric(size_t m, int64_t valid, void *const *results) {
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

void Accumulator::add_values(int64_t valid, void *const *results) {
  if (what.takes_whole_batches() && valid < what.batch) // values depend on what fills the batch
    return;
  for (size_t m = 0; m < what.metrics.size(); ++m)
    if (!what.means[m].is_of_batch())
      add_metric(m, valid, results);
  sums.back() += double(valid);
}

void Accumulator::add_numbers(const std::vector<int64_t> &prefixes,
                              const std::vector<std::vector<double>> &numbers) {
  int64_t valid = prefixes.front();
  for (size_t m = 0; m < what.metrics.size(); ++m) {
    if (valid == 0 || !what.means[m].is_of_batch())
      continue;
    double &sum = sums[2 * m], &count = sums[2 * m + 1], number = numbers[m].front();
    switch (what.means[m].batches) {
    case Batches::none:
      break;
    case Batches::mean: // of which the sum is `batch` times as large
      sum += sum_over_rows(what.batch, prefixes, numbers[m]) * double(what.batch);
      count += double(valid);
      break;
    case Batches::sum:
      sum += sum_over_rows(what.batch, prefixes, numbers[m]);
      break;
    case Batches::maximum: // what is repeated makes no difference
    case Batches::minimum:
      largest[2 * m] = std::fmax(largest[2 * m], number);
      largest[2 * m + 1] = std::fmax(largest[2 * m + 1], -number);
      sum += number; // not a number, if one is none
      break;
    case Batches::whole:
      sum += valid == what.batch ? number : 0;
      count += valid == what.batch;
      break;
    }
  }
}

double Accumulator::reported(size_t m) const {
  const Manifest::Mean &mean = what.means[m];
  double sum = sums[2 * m], count = sums[2 * m + 1];
  if (mean.batches == Batches::maximum)
    return std::isnan(sum) ? sum : largest[2 * m];
  if (mean.batches == Batches::minimum)
    return std::isnan(sum) ? sum : -largest[2 * m + 1];
  if (mean.is_sum || mean.batches == Batches::sum)
    return sum;
  // Without anything that counts there is no mean; a metric without values is 0.
  double value = count != 0 || mean.weight >= 0 ? sum / count : 0;
  return mean.is_exponential ? std::exp(value) : value;
}

/// In place, over all ranks.
void reduce(tutti_context *context, int64_t plan_entry, int32_t reduction,
            std::vector<double> &values) {
  void *in_place = values.data();
  int64_t count = values.size();
  tutti_all_reduce(context, plan_entry, TUTTI_GROUP_WORLD, reduction, TUTTI_F64, 1, &in_place,
                   &in_place, &count);
}

Error Accumulator::finish(tutti_context *context, int64_t plan_entry, RankSummary &summary) {
  reduce(context, plan_entry, TUTTI_SUM, sums);
  if (what.has_extremes())
    reduce(context, plan_entry, TUTTI_MAX, largest);
  summary.evaluated_samples = int64_t(sums.back());
  summary.evaluation_metrics = what.metrics.size();
  for (size_t m = 0; m < what.metrics.size(); ++m)
    summary.evaluation[m] = reported(m);
  for (size_t m = 0; m < what.metrics.size(); ++m)
    if (what.means[m].is_area()) {
      Result<double> area = areas[m].over_ranks(context, plan_entry);
      if (!area)
        return Error::make(area.error().status, "metric '", what.metrics[m].name,
                           "' of the evaluation: ", area.error().message);
      summary.evaluation[m] = *area;
    }
  return {tutti_context_status(context), tutti_context_message(context)};
}

/// The calls of one rank.
class Calls {
public:
  Calls(tutti_context *context, const Program &program, const Buffers &buffers,
        const data::RowGatherer &samples)
      : context(context), program(program), buffers(buffers), samples(samples),
        what(*program.manifest.evaluation), rank(tutti_context_rank(context)),
        rounds(
            of_all_ranks(context, entry_of(program.manifest, HostExchange::evaluation), what.batch),
            samples.rows()) {}

  void run(Accumulator &accumulator) const {
    for (int64_t round = 0; round < rounds.count() && !tutti_context_status(context); ++round)
      run_round(round, accumulator);
  }

private:
  /// Where other ranks need more calls, the last ones of this rank count for nothing.
  void run_round(int64_t round, Accumulator &accumulator) const {
    std::vector<int64_t> prefixes = rounds.prefixes(round, rank);
    std::vector<std::vector<double>> numbers(what.metrics.size());
    call(rounds.batch_of(round, rank, prefixes[0]));
    accumulator.add_values(prefixes[0], buffers.evaluation_results.data());
    take_numbers(numbers);
    int64_t calls = what.has_numbers_of_batches() ? rounds.calls(round) : 1;
    for (int64_t next = 1; next < calls; ++next) {
      bool is_mine = next < int64_t(prefixes.size());
      call(rounds.batch_of(round, rank, is_mine ? prefixes[next] : 0));
      if (is_mine)
        take_numbers(numbers);
    }
    accumulator.add_numbers(prefixes, numbers);
  }

  void call(const std::vector<int64_t> &rows) const {
    if (Error error = samples.gather(/*epoch=*/0, rows, buffers.evaluation_inputs.data()))
      tutti_context_fail(context, error.status, error.message.c_str());
    program.evaluate(context, buffers.evaluation_variables.data(), buffers.evaluation_inputs.data(),
                     buffers.evaluation_results.data(), buffers.arena);
  }

  void take_numbers(std::vector<std::vector<double>> &numbers) const {
    for (size_t m = 0; m < numbers.size(); ++m)
      if (what.means[m].is_of_batch())
        numbers[m].push_back(read_number(what.metrics[m].type, buffers.evaluation_results[m], 0));
  }

  tutti_context *context;
  const Program &program;
  const Buffers &buffers;
  const data::RowGatherer &samples;
  const Manifest::Evaluation &what;
  int32_t rank;
  EvaluationRounds rounds;
};

} // namespace

Error evaluate(tutti_context *context, const Program &program, const Buffers &buffers,
               const data::RowGatherer &samples, RankSummary &summary) {
  Accumulator accumulator(*program.manifest.evaluation);
  Calls(context, program, buffers, samples).run(accumulator);
  return accumulator.finish(context, entry_of(program.manifest, HostExchange::evaluation), summary);
}

} // namespace tutti::runtime::worker
