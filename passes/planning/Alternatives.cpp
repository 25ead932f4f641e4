// Lists the combinations of buckets, hierarchy and strategy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/planning/Alternatives.h"

#include "lib/program/MeshGroups.h"
#include "lib/program/plan/Plan.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::planning;

/// A part of a way to communicate: its name, and what it asks for.
struct Choice {
  std::string name, value;
};
using Choices = std::vector<Choice>;

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
    return {{"no buckets", ""}};
  if (buckets != "auto")
    return {{"buckets as asked", buckets.str()}};
  Choices choices = {{"no buckets", ""}};
  int64_t bytes = reducedBytes(program);
  for (int64_t limit = 64 << 10; limit <= (64 << 20) && limit < bytes; limit *= 4)
    choices.push_back({"buckets of " + spellBytes(limit),
                       "bucket-bytes=" + std::to_string(limit) + " first-bucket-bytes=0"});
  choices.push_back({"one bucket", "bucket-bytes=0 first-bucket-bytes=0"});
  return choices;
}

/// `parts`: neighbours that hold the model; what goes in levels is among those of equal parts.
static Choices hierarchiesFor(StringRef hierarchy, const cost::Cluster &cluster, int64_t ranks,
                              int64_t parts) {
  auto hierarchical = [](StringRef ranksOfNode) {
    return Choice{"hierarchy of " + ranksOfNode.str() + " ranks a node", ranksOfNode.str()};
  };
  int64_t near = cluster.ranksPerNode;
  bool isPossible = near > parts && near % parts == 0 && ranks > near && ranks % near == 0;
  if (hierarchy == "none" || (hierarchy == "auto" && !isPossible))
    return {{"", ""}};
  if (hierarchy == "auto")
    return {{"flat", ""}, hierarchical(std::to_string(near))};
  return {hierarchical(hierarchy)};
}

static Choices strategiesFor(StringRef shardOptimizer) {
  if (shardOptimizer != "auto")
    return {{"", ""}};
  return {{"dense gradients", ""}, {"sharded optimizer", "distribute-shard-optimizer{stage=1}"}};
}

static std::string joinNames(ArrayRef<StringRef> names) {
  SmallVector<StringRef> filled;
  llvm::copy_if(names, std::back_inserter(filled), [](StringRef name) { return !name.empty(); });
  return llvm::join(filled, ", ");
}

std::vector<std::string> Alternative::passes() const {
  std::vector<std::string> passes;
  if (!strategy.empty())
    passes.push_back(strategy);
  if (!buckets.empty())
    passes.push_back("collective-fuse{" + buckets + "}");
  if (!hierarchy.empty())
    passes.push_back("collective-hierarchy{ranks-per-node=" + hierarchy + "}");
  if (overlaps)
    passes.push_back("collective-overlap");
  return passes;
}

std::vector<Alternative> planning::alternativesFor(ModuleOp program, const Question &question,
                                                   const cost::Cluster &cluster, int64_t ranks) {
  std::vector<Alternative> all;
  Choices bucketChoices = bucketsFor(program, question.buckets);
  for (const Choice &strategy : strategiesFor(question.shardOptimizer))
    for (const Choice &hierarchy :
         hierarchiesFor(question.hierarchy, cluster, ranks, program::partsOf(program)))
      for (const Choice &buckets : bucketChoices)
        all.push_back({joinNames({buckets.name, hierarchy.name, strategy.name}), strategy.value,
                       buckets.value, hierarchy.value, question.overlaps});
  return all;
}
