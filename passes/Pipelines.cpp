// The order of the passes of --distribute, and why it is so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Pipelines.h"

#include "passes/distribution/LoopPasses.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

/// Adds the passes that put collectives where they belong.
static void addDistribution(OpPassManager &passes, const DistributeOptions &options) {
  // A program that is distributed already must not be touched at all.
  passes.addPass(createVerifySingleDevicePass());

  // Sharding makes the batch differ between ranks. It must come first: all other passes ask the
  // uniformity analysis what differs, and weight means by the policy that is recorded here.
  passes.addPass(createShardDatasetsPass({options.shard, options.batchPolicy}));

  passes.addPass(createBroadcastVariablesPass({options.root, options.trainableOnly}));

  // Before gradients and metrics are reduced, so that they are those of the synchronised
  // statistics, and so that running statistics are known to be equal when the replication is
  // proved.
  passes.addPass(createSyncBatchNormPass({options.syncBatchNorm}));

  // Before anything is reduced, so that it is reduced once in a step, behind the loop; after batch
  // normalization is synchronised, which happens for each micro-batch.
  passes.addPass(createAccumulateGradientsPass({options.accumulate, options.reduction}));

  if (options.localSgd == 0)
    passes.addPass(createReduceGradientsPass({options.reduction}));
  passes.addPass(createReduceMetricsPass());

  // Where it is decided what is reduced and what stays each rank's own.
  passes.addPass(createLintPass({options.lintErrors}));

  if (options.scaleLearningRate != RateScaling::None)
    passes.addPass(createScaleLearningRatePass({options.scaleLearningRate}));

  // Last, on what is handed on: whatever the passes above did, the variables stay replicated. With
  // local SGD they do only once that has said which ones shall.
  if (options.localSgd == 0)
    passes.addPass(createVerifyReplicationPass());
}

/// All choices at once: what is the best of one depends on the others.
static PipelineStep stepByCosts(const DistributeOptions &options) {
  return {"collective-choose{cluster=" + options.cluster + " hierarchy=" + options.hierarchy +
              " overlap=" + (options.overlap ? "true" : "false") + "}",
          /*needsRanks=*/true};
}

SmallVector<PipelineStep> tutti::communicationSteps(const DistributeOptions &options) {
  SmallVector<PipelineStep> steps;
  // The counter that it may add to the variables must not be there on one rank.
  if (options.localSgd != 0) {
    steps.push_back({"distribute-local-sgd{every=" + std::to_string(options.localSgd) + "}", true});
    steps.push_back({"distribute-verify-replication", true});
  }
  // First, so that what it scatters and gathers is fused, compressed and overlapped like the rest.
  if (options.shardOptimizer != 0)
    steps.push_back({"distribute-shard-optimizer{stage=" +
                         std::to_string(options.shardOptimizer.getValue()) + "}",
                     /*needsRanks=*/true});
  if (!options.cluster.empty()) {
    steps.push_back(stepByCosts(options));
    return steps;
  }
  if (options.hierarchy == "auto")
    steps.push_back({"collective-hierarchy", /*needsRanks=*/true});
  else if (options.hierarchy != "none")
    steps.push_back({"collective-hierarchy{ranks-per-node=" + options.hierarchy + "}", true});
  // Last: it takes the collectives as the others leave them. On one rank nothing may change, not
  // even the order of operations, so it waits for the number of ranks too.
  if (options.overlap)
    steps.push_back({"collective-overlap", true});
  return steps;
}

/// Requests that contradict each other.
static LogicalResult checkConflicts(const DistributeOptions &options,
                                    function_ref<LogicalResult(const Twine &)> complain) {
  if (options.localSgd != 0 && options.reduction == GradientReduction::Sum)
    return complain("reduction=sum conflicts with local-sgd, which reduces no gradients");
  if (options.localSgd != 0 && options.shardOptimizer != 0)
    return complain("shard-optimizer conflicts with local-sgd: each rank updates all of its own "
                    "variables, so that it needs all of the optimizer's states");
  return success();
}

/// Runs `steps` up to the first that needs the number of ranks, and puts off the others: a step may
/// rely on what those before it have done.
static LogicalResult addSteps(OpPassManager &passes, ArrayRef<PipelineStep> steps,
                              function_ref<LogicalResult(const Twine &)> complain) {
  ArrayRef<PipelineStep> atLaunch =
      steps.drop_until([](const PipelineStep &step) { return step.needsRanks; });
  for (const PipelineStep &step : steps.drop_back(atLaunch.size())) {
    std::string problem;
    llvm::raw_string_ostream out(problem);
    if (failed(parsePassPipeline(step.pass, passes, out)))
      return complain(StringRef(problem).trim());
  }
  if (atLaunch.empty())
    return success();
  AtLaunchPassOptions options;
  for (const PipelineStep &step : atLaunch)
    options.passes.push_back(step.pass);
  passes.addPass(createAtLaunchPass(options));
  return success();
}

LogicalResult tutti::buildDistributePipeline(OpPassManager &passes,
                                             const DistributeOptions &options,
                                             function_ref<LogicalResult(const Twine &)> complain) {
  if (failed(checkConflicts(options, complain)))
    return failure();
  addDistribution(passes, options);
  return addSteps(passes, communicationSteps(options), complain);
}

void tutti::registerDistributePipeline() {
  registerPassPipeline(
      "distribute", "Turn a single-device training program into one for any number of ranks",
      [](OpPassManager &passes, StringRef text,
         function_ref<LogicalResult(const Twine &)> complain) -> LogicalResult {
        DistributeOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        return buildDistributePipeline(passes, options, complain);
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> describe) {
        describe(DistributeOptions());
      });
}
