// Opening the data of a run. The launcher does so before it starts a rank, and each rank for
// itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/TrainingData.h"

#include "runtime/host/data/Values.h"
#include "runtime/host/run/BestMetric.h"
#include "runtime/host/run/Summary.h"

#include <algorithm>

namespace tutti::runtime::worker {
namespace {

data::BatchPlan plan_of(const RunConfig &config, const Manifest &manifest, int64_t rank) {
  data::BatchPlan plan;
  plan.shard = manifest.shard(rank);
  plan.window = std::min(manifest.global_batch, manifest.samples_per_step);
  plan.seed = config.seed;
  plan.shuffling = {config.shuffle, config.shuffle_block};
  return plan;
}

/// A binding is for the step, for the evaluation, or for both.
Error check_names(const RunConfig &config, const Manifest &manifest) {
  std::vector<std::string> names;
  for (const Tensor &input : manifest.inputs)
    names.push_back(input.name);
  if (manifest.evaluation)
    for (const Tensor &input : manifest.evaluation->inputs)
      if (std::find(names.begin(), names.end(), input.name) == names.end())
        names.push_back(input.name);
  return data::check_bindings(config.bindings, names);
}

Error check_batches(const Manifest::Evaluation &evaluation, int64_t samples,
                    const data::Dataset &dataset) {
  if (!evaluation.takes_whole_batches() || samples >= evaluation.batch)
    return Error::success();
  return Error::make(TUTTI_BAD_DATA, "dataset '", dataset.source(), "' has ", samples,
                     " samples, too few for one global batch of ", evaluation.batch,
                     ", on which the loss is evaluated because nobody knows what a single sample "
                     "adds to it; use a smaller global batch or more data");
}

} // namespace

Result<std::optional<data::BatchLoader>> open_training_data(const RunConfig &config,
                                                            const Manifest &manifest, int64_t rank,
                                                            data::InflatedArrays &inflated) {
  if (Error error = check_names(config, manifest))
    return error;
  if (only_evaluates(config))
    return std::optional<data::BatchLoader>();
  if (manifest.inputs.empty()) {
    if (config.steps > 0)
      return std::optional<data::BatchLoader>();
    return Error::make(TUTTI_INVALID_ARGUMENT, "program '", manifest.program,
                       "' has no inputs, so an epoch has no end; give a number of steps");
  }
  Result<data::Dataset> dataset =
      data::Dataset::open(config.datasets, config.bindings, {&inflated, config.read});
  if (!dataset)
    return dataset.error();
  Result<data::BatchLoader> loader =
      data::BatchLoader::make(*dataset, manifest.inputs, plan_of(config, manifest, rank));
  if (!loader)
    return loader.error();
  if (Result<int64_t> steps = count_steps(config, loader->steps_per_epoch()); !steps)
    return steps.error();
  return std::optional<data::BatchLoader>(std::move(*loader));
}

Result<std::optional<data::RowGatherer>> open_evaluation_data(const RunConfig &config,
                                                              const Manifest &manifest,
                                                              data::InflatedArrays &inflated) {
  if (config.evaluation_datasets.empty())
    return std::optional<data::RowGatherer>();
  if (!manifest.evaluation)
    return Error::make(TUTTI_INVALID_ARGUMENT, "program '", manifest.program,
                       "' cannot be evaluated: it has no @evaluate; a forward graph with --train "
                       "gets one");
  if (int64_t(manifest.evaluation->metrics.size()) > most_evaluation_metrics)
    return Error::make(TUTTI_BAD_PROGRAM, "program '", manifest.program, "' has ",
                       manifest.evaluation->metrics.size(), " metrics of evaluation; the most are ",
                       most_evaluation_metrics);
  Result<data::Dataset> dataset = data::Dataset::open(config.evaluation_datasets, config.bindings,
                                                      {&inflated, config.read, /*evaluates=*/true});
  if (!dataset)
    return dataset.error();
  Result<std::vector<data::BoundArray>> bound = dataset->bind(manifest.evaluation->inputs);
  if (!bound)
    return bound.error();
  if (bound->empty() || bound->front().array.rows() == 0)
    return Error::make(TUTTI_BAD_DATA, "dataset '", dataset->source(),
                       "' has no samples to evaluate on");
  if (Error error = check_batches(*manifest.evaluation, bound->front().array.rows(), *dataset))
    return error;
  for (size_t i = 0; i < bound->size(); ++i)
    if (const Tensor &input = manifest.evaluation->inputs[i]; input.holds_labels)
      if (Error error = data::check_both_classes((*bound)[i].array, input))
        return error;
  return std::optional<data::RowGatherer>(data::RowGatherer(std::move(*bound)));
}

Result<DataFacts> check_data(const RunConfig &config, const Manifest &manifest,
                             data::InflatedArrays &inflated) {
  auto training = open_training_data(config, manifest, 0, inflated);
  if (!training)
    return training.error();
  auto evaluation = open_evaluation_data(config, manifest, inflated);
  if (!evaluation)
    return evaluation.error();
  DataFacts facts;
  if (*training) {
    facts.samples = (*training)->samples();
    facts.steps_per_epoch = (*training)->steps_per_epoch();
    facts.dropped = (*training)->dropped_per_epoch();
    facts.repeated = (*training)->repeated_per_step();
  }
  if (*evaluation) {
    facts.evaluated = (*evaluation)->rows();
    facts.evaluation_batch = manifest.evaluation->batch;
    if (manifest.evaluation->takes_whole_batches())
      facts.left_out = facts.evaluated % facts.evaluation_batch;
    if (Result<std::optional<BestMetric>> best = BestMetric::find(config, manifest); !best)
      return best.error();
  }
  Result<int64_t> steps = count_steps(config, *training ? facts.steps_per_epoch : 1);
  if (!steps)
    return steps.error();
  facts.steps = *steps;
  return facts;
}

} // namespace tutti::runtime::worker
