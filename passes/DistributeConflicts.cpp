// What the keys of --distribute cannot ask for together. Nothing that is asked for is dropped
// silently: it is done, or it is an error that names the key it contradicts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Pipelines.h"

using namespace mlir;
using namespace tutti;

namespace {
/// A key that the user gave, as the user wrote it.
struct Request {
  std::string text;
  bool isMade;
};
} // namespace

template <typename Given> static Request request(StringRef key, const Given &option, bool isMade) {
  std::string text;
  llvm::raw_string_ostream(text) << key << "=" << option.getValue();
  return {text, isMade};
}

/// "b=2 conflicts with a=1: why", for the first of `others` that is made, if `first` is.
static std::optional<std::string> contradiction(const Request &first, ArrayRef<Request> others,
                                                StringRef why) {
  const Request *other = llvm::find_if(others, [](const Request &r) { return r.isMade; });
  if (!first.isMade || other == others.end())
    return std::nullopt;
  return (other->text + " conflicts with " + first.text + ": " + why).str();
}

static std::optional<std::string> findLocalContradiction(const DistributeOptions &o) {
  Request local = request("local-sgd", o.localSgd, o.localSgd > 0);
  Request reductions[] = {
      request("shard-optimizer", o.shardOptimizer, o.shardOptimizer > 0),
      request("compress", o.compress, o.compress != "none"),
      {"sparse=rows", o.sparse == distribution::SparseMode::Rows},
      {"reduction=sum", o.reduction == DistributeOptions::GradientReduction::Sum}};
  if (auto found = contradiction(local, reductions,
                                 "ranks that train on their own reduce no gradients and need all "
                                 "states of their optimizers"))
    return found;
  return contradiction(local,
                       {{"sync-batch-norm=true", o.syncBatchNorm.hasValue() && o.syncBatchNorm}},
                       "ranks that train on their own do not share statistics");
}

static std::optional<std::string> findContradiction(const DistributeOptions &o) {
  if (auto found = findLocalContradiction(o))
    return found;
  if (auto found =
          contradiction({"error-feedback=true", o.errorFeedback},
                        {{"compress=none", o.compress == "none"}}, "nothing is lost on the wire"))
    return found;
  Request limits[] = {
      request("bucket-bytes", o.bucketBytes, o.bucketBytes.hasValue()),
      request("first-bucket-bytes", o.firstBucketBytes, o.firstBucketBytes.hasValue()),
      request("bucket-count", o.bucketCount, o.bucketCount.hasValue()),
      {"bucket-indices", !o.bucketIndices.empty()},
      {"bucket-percent", !o.bucketPercent.empty()}};
  return contradiction(request("buckets", o.buckets, o.buckets != "fixed"), limits,
                       "limits are for buckets=fixed");
}

/// A number that is less than what its key allows.
static std::optional<std::string> findTooSmall(const DistributeOptions &o) {
  struct Count {
    StringRef key;
    const DistributeOptions::Option<int64_t> &given;
    int64_t least;
  };
  const Count counts[] = {{"root", o.root, 0},
                          {"accumulate", o.accumulate, 1},
                          {"local-sgd", o.localSgd, 0},
                          {"compress-min-bytes", o.compressMinBytes, 0},
                          {"bucket-bytes", o.bucketBytes, 0},
                          {"first-bucket-bytes", o.firstBucketBytes, 0},
                          {"bucket-count", o.bucketCount, 1}};
  for (const Count &count : counts)
    if (count.given.hasValue() && count.given < count.least)
      return (count.key + "=" + Twine(count.given.getValue()) + " must be at least " +
              Twine(count.least))
          .str();
  for (double percent : o.bucketPercent)
    if (!(percent > 0 && percent <= 100))
      return "bucket-percent has " + std::to_string(percent) + ", which is no share of 100";
  return std::nullopt;
}

/// What a single key says that makes no sense, or too little.
static std::optional<std::string> findMistake(const DistributeOptions &o) {
  int64_t ranks;
  if (!llvm::is_contained({"fixed", "none", "auto"}, o.buckets.getValue()))
    return "buckets=" + o.buckets + " is not one of fixed, none, auto";
  if (!llvm::is_contained({"none", "auto"}, o.hierarchy.getValue()) &&
      (StringRef(o.hierarchy).getAsInteger(10, ranks) || ranks < 1))
    return "hierarchy=" + o.hierarchy + " is neither none nor auto nor a number of ranks";
  if (o.shardOptimizer < 0 || o.shardOptimizer > 2)
    return "shard-optimizer=" + std::to_string(o.shardOptimizer) + " is not one of 0, 1, 2";
  if (o.buckets == "auto" && o.cluster.empty())
    return std::string("buckets=auto needs to know the machines: cluster=FILE, as of "
                       "dist-run --calibrate FILE");
  return std::nullopt;
}

std::optional<std::string> tutti::findConflict(const DistributeOptions &options) {
  if (auto mistake = findMistake(options))
    return mistake;
  if (auto mistake = findTooSmall(options))
    return mistake;
  return findContradiction(options);
}
