// What every distributed program has: its part of the data, equal variables, gradients of the whole
// batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

#include "passes/gradient/Passes.h"
#include "passes/specialize/Passes.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
class DataParallel : public Strategy {
  Chapter getChapter() const override { return Chapter::Samples; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    addKeysOfSamples(keys, o);
    addKeysOfVariables(keys, o);
  }

  static void addKeysOfSamples(options::KeyTable &keys, DistributeOptions &o) {
    keys.addChoice(
            "reduction", o.reduction,
            {{"mean", GradientReduction::Mean}, {"sum", GradientReduction::Sum}},
            "How gradients of ranks become one: the mean over samples, or the sum over ranks")
        .deciding();
    keys.addFlag("sync-batch-norm", o.syncBatchNorm,
                 "Normalize by the statistics of the global batch, as one device does")
        .deciding()
        .byDefault("true");
    keys.addChoice("batch-policy", o.batchPolicy,
                   {{"error", train::BatchPolicy::Error},
                    {"drop", train::BatchPolicy::Drop},
                    {"pad", train::BatchPolicy::Pad},
                    {"weighted", train::BatchPolicy::Weighted}},
                   "When the ranks do not divide the global batch: refuse, leave the remainder "
                   "out, repeat samples, or weight unequal parts");
    keys.addChoice(
        "shard", o.shard,
        {{"strided", train::ShardMode::Strided}, {"contiguous", train::ShardMode::Contiguous}},
        "Which samples of a global batch a rank takes: every N-th, or one block");
    keys.addFlag("gather-samples", o.gatherSamples,
                 "Exchange samples between ranks where a loss couples them, or refuse it");
  }

  static void addKeysOfVariables(options::KeyTable &keys, DistributeOptions &o) {
    keys.addFlag("trainable-only", o.trainableOnly,
                 "Broadcast only the trainable initial variables");
    keys.addCount("root", o.root, 0, "Rank whose initial variables all others get");
    keys.addChoice("scale-learning-rate", o.scaleLearningRate,
                   {{"none", RateScaling::None},
                    {"linear", RateScaling::Linear},
                    {"sqrt", RateScaling::Sqrt}},
                   "Multiply learning rates by the number of ranks, or by its square root")
        .deciding();
    keys.addFlag("lint-errors", o.lintErrors,
                 "Refuse programs for which distribute-lint has a remark");
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    prepare(sequence, o);
    sequence.add(Place::ShardData, createShardDatasetsPass, {o.shard, o.batchPolicy});
    sequence.add(Place::Broadcast, createBroadcastVariablesPass, {o.root, o.trainableOnly});
    sequence.add(Place::ShareStatistics, createSyncBatchNormPass, {o.syncBatchNorm.value_or(true)});
    sequence.add(Place::ReduceTotals, createReduceTotalsPass, {o.reduction, anyTrainsAlone(o)});
    sequence.add(Place::ReduceGradients, createReduceGradientsPass, {o.reduction});
    sequence.add(Place::ReduceMetrics, createReduceMetricsPass);
    sequence.add(Place::Lint, createLintPass, {o.lintErrors});
    if (o.scaleLearningRate != RateScaling::None)
      sequence.add(Place::ScaleRates, createScaleLearningRatePass, {o.scaleLearningRate});
    sequence.add(Place::Verify, createVerifyReplicationPass);
  }

  static bool anyTrainsAlone(const DistributeOptions &o) {
    return llvm::any_of(allStrategies(), [&](const Strategy *s) { return s->trainsAlone(o); });
  }

  static void prepare(Sequence &sequence, const DistributeOptions &o) {
    // Models that bring their own training hold gradients; others are not touched by this.
    sequence.add(Place::Prepare, gradient::createExpandGradientsPass, {/*clean=*/true});
    sequence.add(Place::Prepare, createVerifySingleDevicePass);
    sequence.add(Place::Prepare, specialize::createVaryBatchPass);
    // Also in steps that --train has not made. A batch that varies shows what is made of samples.
    sequence.add(Place::Prepare, gradient::createGlobalDivisorsPass);
    sequence.add(Place::Prepare, gradient::createPlaceDrawsPass);
    sequence.add(Place::Prepare, createVerifySamplesPass, {o.gatherSamples});
  }
};
} // namespace

static const DataParallel theDataParallel;
namespace tutti::strategies {
const Strategy &dataParallel = theDataParallel;
} // namespace tutti::strategies
