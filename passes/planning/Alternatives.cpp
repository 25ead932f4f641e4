// Lists the combinations of buckets, hierarchy and strategy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/planning/Alternatives.h"

#include "lib/program/Plan.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::planning;

using Choices = std::vector<Alternative>;

/// Bytes that the step reduces: larger buckets hold no more.
static int64_t reducedBytes(ModuleOp program) {
  int64_t bytes = 0;
  for (const program::PlanEntry &entry : program::extractPlan(program))
    if (entry.function == "step" && !entry.reduction.empty())
      bytes += std::max<int64_t>(0, entry.bytes);
  return bytes;
}

static std::string spellBytes(int64_t bytes) {
  return bytes < (1 << 20) ? std::to_string(bytes >> 10) + " KiB"
                           : std::to_string(bytes >> 20) + " MiB";
}

static Choices bucketsFor(ModuleOp program, StringRef buckets) {
  if (buckets == "none")
    return {{"no buckets", {}}};
  if (buckets != "auto")
    return {{"buckets as asked", {("collective-fuse{" + buckets + "}").str()}}};
  Choices choices = {{"no buckets", {}}};
  int64_t bytes = reducedBytes(program);
  for (int64_t limit = 64 << 10; limit <= (64 << 20) && limit < bytes; limit *= 4) {
    std::string text = std::to_string(limit);
    choices.push_back({"buckets of " + spellBytes(limit),
                       {"collective-fuse{bucket-bytes=" + text + " first-bucket-bytes=0}"}});
  }
  choices.push_back({"one bucket", {"collective-fuse{bucket-bytes=0 first-bucket-bytes=0}"}});
  return choices;
}

static Choices hierarchiesFor(StringRef hierarchy, const cost::Cluster &cluster, int64_t ranks) {
  auto hierarchical = [](StringRef ranksOfNode) {
    return Alternative{"hierarchy of " + ranksOfNode.str() + " ranks a node",
                       {("collective-hierarchy{ranks-per-node=" + ranksOfNode + "}").str()}};
  };
  int64_t near = cluster.ranksPerNode;
  bool isPossible = near > 1 && ranks > near && ranks % near == 0;
  if (hierarchy == "none" || (hierarchy == "auto" && !isPossible))
    return {{"", {}}};
  if (hierarchy == "auto")
    return {{"flat", {}}, hierarchical(std::to_string(near))};
  return {hierarchical(hierarchy)};
}

static Choices strategiesFor(StringRef shardOptimizer) {
  if (shardOptimizer != "auto")
    return {{"", {}}};
  return {{"dense gradients", {}}, {"sharded optimizer", {"distribute-shard-optimizer{stage=1}"}}};
}

/// All parts of one way to communicate, in this order.
static Alternative join(ArrayRef<Alternative> parts) {
  Alternative whole;
  for (const Alternative &part : parts)
    llvm::append_range(whole.passes, part.passes);
  return whole;
}

static std::string joinNames(ArrayRef<StringRef> names) {
  SmallVector<StringRef> filled;
  llvm::copy_if(names, std::back_inserter(filled), [](StringRef name) { return !name.empty(); });
  return llvm::join(filled, ", ");
}

std::vector<Alternative> planning::alternativesFor(ModuleOp program, const Question &question,
                                                   const cost::Cluster &cluster, int64_t ranks) {
  std::vector<Alternative> all;
  Alternative overlap;
  if (question.overlaps)
    overlap.passes.push_back("collective-overlap");
  for (const Alternative &strategy : strategiesFor(question.shardOptimizer))
    for (const Alternative &hierarchy : hierarchiesFor(question.hierarchy, cluster, ranks))
      for (const Alternative &buckets : bucketsFor(program, question.buckets)) {
        Alternative &whole = all.emplace_back(join({strategy, buckets, hierarchy, overlap}));
        whole.name = joinNames({buckets.name, hierarchy.name, strategy.name});
      }
  return all;
}
