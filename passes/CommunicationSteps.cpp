// From the keys of --distribute to the passes that make communication cheap, and why their order is
// so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Pipelines.h"

using namespace mlir;
using namespace tutti;

namespace {
/// A pass with its options, as text.
class PassText {
public:
  explicit PassText(StringRef name) : name(name) {}

  template <typename Value> PassText &with(StringRef key, const Value &value) {
    std::string text;
    llvm::raw_string_ostream(text) << key << "=" << value;
    return add(text);
  }
  /// Only where the user gave a value: the defaults are the pass's own.
  template <typename Value> PassText &withGiven(StringRef key, const std::optional<Value> &option) {
    return option ? with(key, *option) : *this;
  }
  template <typename List> PassText &withList(StringRef key, const List &values) {
    std::string text;
    llvm::raw_string_ostream out(text);
    llvm::interleave(values, out, ",");
    return text.empty() ? *this : with(key, text);
  }
  const std::string &optionText() const { return options; }
  std::string str() const { return options.empty() ? name : name + "{" + options + "}"; }

private:
  PassText &add(StringRef text) {
    options += (options.empty() ? "" : " ") + text.str();
    return *this;
  }

  std::string name, options;
};
} // namespace

static PassText fuse(const DistributeOptions &options) {
  return PassText("collective-fuse")
      .withGiven("bucket-bytes", options.bucketBytes)
      .withGiven("first-bucket-bytes", options.firstBucketBytes)
      .withGiven("count", options.bucketCount)
      .withList("indices", options.bucketIndices)
      .withList("percent", options.bucketPercent);
}

static bool hasLimits(const DistributeOptions &options) {
  return !fuse(options).optionText().empty();
}

static PassText compress(const DistributeOptions &options) {
  return PassText("collective-compress")
      .with("type", options.compress)
      .withGiven("min-bytes", options.compressMinBytes)
      .withGiven("error-feedback", options.errorFeedback);
}

static PassText hierarchy(const DistributeOptions &options) {
  PassText pass("collective-hierarchy");
  return options.hierarchy == "auto" ? pass : pass.with("ranks-per-node", options.hierarchy);
}

/// What the cost model decides, it decides together: buckets change what a hierarchy is worth.
static PassText choose(const DistributeOptions &options) {
  PassText pass("collective-choose");
  pass.with("cluster", options.cluster)
      .with("hierarchy", options.hierarchy)
      .with("overlap", options.overlap ? "true" : "false");
  std::string buckets = hasLimits(options) ? fuse(options).optionText() : options.buckets;
  return buckets == "fixed" ? pass : pass.with("buckets", "{" + buckets + "}");
}

SmallVector<PipelineStep> tutti::communicationSteps(const DistributeOptions &options) {
  SmallVector<PipelineStep> steps;
  // Instead of reductions. The counter that it may add to the variables must not be there on one
  // rank.
  if (options.localSgd > 0)
    steps.push_back({PassText("distribute-local-sgd").with("every", options.localSgd).str(),
                     /*needsRanks=*/true});
  // First: what each rank keeps decides which collectives there are.
  if (options.shardOptimizer > 0)
    steps.push_back(
        {PassText("distribute-shard-optimizer").with("stage", options.shardOptimizer).str(),
         /*needsRanks=*/true});
  // Before buckets are made: they hold one type each, and count its bytes.
  if (options.compress != "none")
    steps.push_back(
        {compress(options).str(), /*needsRanks=*/options.errorFeedback.value_or(false)});
  if (!options.cluster.empty()) {
    steps.push_back({choose(options).str(), /*needsRanks=*/true});
    return steps;
  }
  if (options.buckets == "fixed")
    steps.push_back({fuse(options).str()});
  // Whole buckets: three calls for each of them, not for each gradient.
  if (options.hierarchy != "none")
    steps.push_back({hierarchy(options).str(), /*needsRanks=*/true});
  // Last: it takes the collectives as the others leave them. On one rank nothing may change, not
  // even the order of operations, so it waits for the number of ranks too.
  if (options.overlap)
    steps.push_back({"collective-overlap", /*needsRanks=*/true});
  return steps;
}
