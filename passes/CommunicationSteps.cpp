// From the keys of --distribute to the passes that make communication cheap, and why their order is
// so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/PassText.h"
#include "passes/Pipelines.h"
#include "passes/communication/Passes.h"
#include "passes/planning/Passes.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::communication;

static CollectiveFusePassOptions fuseOptions(const DistributeOptions &options) {
  CollectiveFusePassOptions fuse;
  fuse.bucketBytes = options.bucketBytes.value_or(fuse.bucketBytes);
  fuse.firstBucketBytes = options.firstBucketBytes.value_or(fuse.firstBucketBytes);
  fuse.count = options.bucketCount.value_or(fuse.count);
  fuse.indices.assign(options.bucketIndices.begin(), options.bucketIndices.end());
  fuse.percent.assign(options.bucketPercent.begin(), options.bucketPercent.end());
  return fuse;
}

static CollectiveCompressPassOptions compressOptions(const DistributeOptions &options) {
  CollectiveCompressPassOptions compress;
  compress.type = options.compress == "bf16" ? WireType::BF16 : WireType::F16;
  compress.minBytes = options.compressMinBytes.value_or(compress.minBytes);
  compress.errorFeedback = options.errorFeedback.value_or(compress.errorFeedback);
  return compress;
}

static CollectiveHierarchyPassOptions hierarchyOptions(const DistributeOptions &options) {
  CollectiveHierarchyPassOptions hierarchy;
  if (options.hierarchy != "auto")
    (void)StringRef(options.hierarchy).getAsInteger(10, hierarchy.ranksPerNode);
  return hierarchy;
}

/// What the cost model decides, it decides together: buckets change what a hierarchy is worth.
static planning::CollectiveChoosePassOptions chooseOptions(const DistributeOptions &options) {
  planning::CollectiveChoosePassOptions choose;
  choose.cluster = options.cluster;
  choose.hierarchy = options.hierarchy;
  choose.overlap = options.overlap;
  std::string limits =
      spellOptions(*createCollectiveFusePass(fuseOptions(options)), *createCollectiveFusePass());
  if (!limits.empty() || options.buckets != "fixed")
    choose.buckets = limits.empty() ? options.buckets : limits;
  return choose;
}

/// A step made by `create` with `options`; its text leaves out what is as in `defaults`.
template <typename Create, typename Options>
static PipelineStep makeStep(Create create, Options options, bool needsRanks) {
  PipelineStep step{create(std::move(options)), "", needsRanks};
  step.text = spellPass(*step.pass, *create(Options()));
  return step;
}

std::vector<PipelineStep> tutti::communicationSteps(const DistributeOptions &options) {
  std::vector<PipelineStep> steps;
  auto add = [&](auto passOptions, auto create, bool needsRanks) {
    steps.push_back(makeStep(create, std::move(passOptions), needsRanks));
  };
  // Instead of reductions. The counter that it may add to the variables must not be there on one
  // rank.
  if (options.localSgd > 0) {
    distribution::LocalSgdPassOptions local;
    local.every = options.localSgd;
    add(
        local, [](auto o) { return distribution::createLocalSgdPass(o); }, /*needsRanks=*/true);
  }
  // First: what each rank keeps decides which collectives there are.
  if (options.shardOptimizer > 0) {
    distribution::ShardOptimizerPassOptions shard;
    shard.stage = options.shardOptimizer;
    add(
        shard, [](auto o) { return distribution::createShardOptimizerPass(o); },
        /*needsRanks=*/true);
  }
  // Before buckets are made: they hold one type each, and count its bytes.
  if (options.compress != "none")
    add(
        compressOptions(options), [](auto o) { return createCollectiveCompressPass(o); },
        /*needsRanks=*/options.errorFeedback.value_or(false));
  if (!options.cluster.empty()) {
    add(
        chooseOptions(options), [](auto o) { return planning::createCollectiveChoosePass(o); },
        /*needsRanks=*/true);
    return steps;
  }
  if (options.buckets == "fixed")
    add(
        fuseOptions(options), [](auto o) { return createCollectiveFusePass(o); },
        /*needsRanks=*/false);
  // Whole buckets: three calls for each of them, not for each gradient.
  if (options.hierarchy != "none")
    add(
        hierarchyOptions(options), [](auto o) { return createCollectiveHierarchyPass(o); },
        /*needsRanks=*/true);
  // Last: it takes the collectives as the others leave them. On one rank nothing may change, not
  // even the order of operations, so it waits for the number of ranks too.
  if (options.overlap)
    steps.push_back({createCollectiveOverlapPass(), "collective-overlap", /*needsRanks=*/true});
  return steps;
}
