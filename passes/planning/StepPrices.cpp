// Finds what would be bundled, and lets it be played.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/planning/StepPrices.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;
using namespace tutti::planning;

StepPrices::StepPrices(ModuleOp program, const cost::Cluster &cluster, int64_t ranks)
    : program(program), cluster(cluster), ranks(ranks),
      motion(program, UniformityAnalysis(program)),
      work(measureStep(program, cluster, ranks, problem)) {
  auto step = program.lookupSymbol<func::FuncOp>("step");
  if (!work || !step)
    return;
  if (!step.getBody().hasOneBlock()) {
    problem = "@step has several blocks";
    return;
  }
  blocks.emplace(step, *work, motion);
  runs = findAllBucketRuns(program, motion);
}

FailureOr<StepPrices::Bundles>
StepPrices::findBundles(const std::optional<BucketRequest> &request) {
  Bundles bundles;
  if (!request)
    return bundles;
  auto emitError = [&] { return mlir::emitError(program.getLoc()) << "collective-fuse: "; };
  FailureOr<BucketCutter> cutter = makeBucketCutter(*request, emitError);
  if (failed(cutter))
    return failure();
  const BucketRun *main = findMainRun(runs);
  for (const BlockCollectives &those : runs)
    for (const BucketRun &run : those.runs) {
      auto numbers = (*cutter)(run, &run == main, emitError);
      if (failed(numbers))
        return failure();
      if (!blocks->find(run.members.front().op->getBlock()))
        continue;
      llvm::copy_if(
          bucketsOf(run, *numbers), std::back_inserter(bundles),
          [&](const Bucket &bucket) { return bucket.size() > 1 || run.movesLoneMembers(); });
    }
  return bundles;
}

FailureOr<std::optional<Topology>> StepPrices::findLevels(std::optional<int64_t> ranksPerNode) {
  std::optional<Topology> levels;
  if (!ranksPerNode)
    return levels;
  FailureOr<Topology> topology = findTopology(program, *ranksPerNode);
  if (failed(topology))
    return failure();
  if (topology->ranksPerNode > 1 && topology->nodes > 1)
    levels = *topology;
  return levels;
}

std::optional<cost::StepTime> StepPrices::of(const Bundling &bundling, std::string &why) {
  if (!work || !problem.empty()) {
    why = problem;
    return std::nullopt;
  }
  if (!blocks) // nothing to do, nothing to communicate
    return cost::StepClock(cluster, ranks).time();
  FailureOr<Bundles> bundles = findBundles(bundling.buckets);
  FailureOr<std::optional<Topology>> levels = findLevels(bundling.ranksPerNode);
  if (failed(bundles) || failed(levels))
    return std::nullopt;
  ExchangeTimes exchanges(program, cluster, ranks, *work, motion, *levels);
  ArrangedStep arranged(*blocks, *work, exchanges);
  for (const Bucket &bucket : *bundles)
    arranged.bundle(
        llvm::map_to_vector(bucket, [](const BucketMember *member) { return member->op; }),
        getLastProducer(bucket));
  return arranged.play(cluster, ranks, bundling.overlaps);
}
