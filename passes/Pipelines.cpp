// The order of the passes of --distribute, and why it is so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Pipelines.h"

#include "passes/distribution/Passes.h"
#include "passes/gradient/Passes.h"
#include "passes/specialize/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

/// Tables go to the servers while the program is still one device's: what is left is distributed
/// as any other.
static std::unique_ptr<Pass> createServers(const DistributeOptions &options) {
  ParameterServerPassOptions servers;
  if (options.serve.front() != "auto")
    servers.tables.assign(options.serve.begin(), options.serve.end());
  servers.minBytes = options.serveMinBytes.value_or(servers.minBytes);
  servers.lazy = options.serveLazy.value_or(false);
  servers.placement = options.servePlacement;
  servers.reduction = options.reduction;
  servers.asynchronous = options.serveAsynchronously;
  servers.staleness = options.serveStaleness.value_or(servers.staleness);
  servers.wire = options.serveWire;
  servers.prefetch = options.servePrefetch.value_or(false);
  return createParameterServerPass(std::move(servers));
}

/// Adds the passes that put collectives where they belong.
static void addDistribution(OpPassManager &passes, const DistributeOptions &options) {
  // Models that bring their own training hold gradients; others are not touched by this.
  passes.addNestedPass<func::FuncOp>(gradient::createExpandGradientsPass({/*clean=*/true}));

  // A program that is distributed already must not be touched at all.
  passes.addPass(createVerifySingleDevicePass());

  passes.addPass(specialize::createVaryBatchPass());

  // Also in steps that --train has not made. A batch that varies shows what is made of samples.
  passes.addPass(gradient::createGlobalDivisorsPass());

  if (!options.serve.empty())
    passes.addPass(createServers(options));

  // Sharding makes the batch differ between ranks. It must come first: all other passes ask the
  // uniformity analysis what differs, and weight means by the policy that is recorded here.
  passes.addPass(createShardDatasetsPass({options.shard, options.batchPolicy}));

  // Asynchronous workers get what they share from the servers, and meet nowhere else.
  bool isAsynchronous = options.serveAsynchronously;
  if (!isAsynchronous)
    passes.addPass(createBroadcastVariablesPass({options.root, options.trainableOnly}));

  // Before gradients and metrics are reduced, so that they are those of the synchronised
  // statistics, and so that running statistics are known to be equal when the replication is
  // proved. Ranks that train on their own have statistics of their own.
  bool isLocal = options.localSgd > 0;
  bool isAlone = isLocal || isAsynchronous; // in a step
  if (!isAlone)
    passes.addPass(createSyncBatchNormPass({options.syncBatchNorm.value_or(true)}));

  // Before anything is reduced, so that it is reduced once in a step, behind the loop; after batch
  // normalization is synchronised, which happens for each micro-batch.
  passes.addPass(createAccumulateGradientsPass({options.accumulate, options.reduction}));

  if (!isAlone) {
    // Behind the loop over micro-batches, outside of which totals are computed.
    passes.addPass(createReduceTotalsPass({options.reduction}));
    passes.addPass(createReduceGradientsPass({options.reduction}));
    // Right after: what is gathered as rows is no part of a bucket.
    passes.addPass(createSparseGradientsPass({options.sparse}));
  }
  if (!isAsynchronous)
    passes.addPass(createReduceMetricsPass());

  // Where it is decided what is reduced and what stays each rank's own.
  passes.addPass(createLintPass({options.lintErrors}));

  if (options.scaleLearningRate != RateScaling::None)
    passes.addPass(createScaleLearningRatePass({options.scaleLearningRate}));

  // Last, on what is handed on: whatever the passes above did, the variables stay replicated. Where
  // ranks train on their own that is to be proved of what the launch makes.
  if (!isLocal)
    passes.addPass(createVerifyReplicationPass());
}

/// Runs `steps` up to the first that needs the number of ranks, and puts off the others: a step may
/// rely on what those before it have done.
static void addSteps(OpPassManager &passes, std::vector<PipelineStep> steps) {
  specialize::AtLaunchPassOptions atLaunch;
  for (PipelineStep &step : steps) {
    if (step.needsRanks || !atLaunch.passes.empty())
      atLaunch.passes.push_back(step.text);
    else
      passes.addPass(std::move(step.pass));
  }
  if (atLaunch.passes.empty())
    return;
  // Of what all of them have made.
  atLaunch.passes.push_back("distribute-verify-replication");
  passes.addPass(specialize::createAtLaunchPass(atLaunch));
}

llvm::Error tutti::addDistributePipeline(OpPassManager &passes, const DistributeOptions &options) {
  if (std::optional<std::string> conflict = findConflict(options))
    return llvm::createStringError(*conflict);
  addDistribution(passes, options);
  addSteps(passes, communicationSteps(options));
  return llvm::Error::success();
}

void tutti::registerDistributePipeline() {
  registerPassPipeline(
      "distribute", "Turn a single-device training program into one for any number of ranks",
      [](OpPassManager &passes, StringRef text,
         function_ref<LogicalResult(const Twine &)> complain) -> LogicalResult {
        FailureOr<DistributeOptions> options = DistributeOptions::parse(text, complain);
        if (failed(options))
          return failure();
        llvm::Error error = addDistributePipeline(passes, *options);
        return error ? complain(llvm::toString(std::move(error))) : success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> describe) {
        describe(EmptyPipelineOptions()); // DistributeOptions::keys does: --help-distribute
      });
}
