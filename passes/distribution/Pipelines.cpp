// The order of the distribution passes, and why it is so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tutti::distribution;

void tutti::distribution::buildDistributePipeline(OpPassManager &passes,
                                                  const DistributeOptions &options) {
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

  passes.addPass(createReduceGradientsPass({options.reduction}));
  passes.addPass(createReduceMetricsPass());

  if (options.scaleLearningRate != RateScaling::None)
    passes.addPass(createScaleLearningRatePass({options.scaleLearningRate}));

  // Last, on what is handed on: whatever the passes above did, the variables stay replicated.
  passes.addPass(createVerifyReplicationPass());
}

void tutti::distribution::registerDistributionPipelines() {
  PassPipelineRegistration<DistributeOptions>(
      "distribute", "Turn a single-device training program into one for any number of ranks",
      buildDistributePipeline);
}
