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

/// "a=1 and b=2: why", for the first of `others` that is made, if `first` is.
static std::optional<std::string> contradiction(const Request &first, ArrayRef<Request> others,
                                                StringRef why) {
  const Request *other = llvm::find_if(others, [](const Request &r) { return r.isMade; });
  if (!first.isMade || other == others.end())
    return std::nullopt;
  return (other->text + " conflicts with " + first.text + ": " + why).str();
}

static std::optional<std::string> findContradiction(const DistributeOptions &o) {
  Request localSgd = request("local-sgd", o.localSgd, o.localSgd > 0);
  Request shard = request("shard-optimizer", o.shardOptimizer, o.shardOptimizer > 0);
  Request compress = request("compress", o.compress, o.compress != "none");
  Request sparse = request("sparse", o.sparse, o.sparse.hasValue() && o.sparse != "dense");
  Request buckets = request("buckets", o.buckets, o.buckets != "fixed");
  Request limits[] = {
      request("bucket-bytes", o.bucketBytes, o.bucketBytes.hasValue()),
      request("first-bucket-bytes", o.firstBucketBytes, o.firstBucketBytes.hasValue()),
      request("bucket-count", o.bucketCount, o.bucketCount.hasValue()),
      {"bucket-indices", !o.bucketIndices.empty()},
      {"bucket-percent", !o.bucketPercent.empty()}};
  Request synchronised = {"sync-batch-norm=true", o.syncBatchNorm.hasValue() && o.syncBatchNorm};
  Request feedback = {"error-feedback=true", o.errorFeedback};
  if (auto found =
          contradiction(localSgd, {shard, compress, sparse}, "local SGD reduces no gradients"))
    return found;
  if (auto found = contradiction(localSgd, {synchronised},
                                 "ranks that train on their own do not share statistics"))
    return found;
  if (auto found = contradiction(feedback, {{"compress=none", o.compress == "none"}},
                                 "nothing is lost on the wire"))
    return found;
  return contradiction(buckets, limits, "limits are for buckets=fixed");
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
  if (o.localSgd < 0)
    return "local-sgd=" + std::to_string(o.localSgd) + " is not a number of steps";
  if (o.buckets == "auto" && o.cluster.empty())
    return std::string("buckets=auto needs to know the machines: cluster=FILE, as of "
                       "dist-run --calibrate FILE");
  return std::nullopt;
}

std::optional<std::string> tutti::findConflict(const DistributeOptions &options) {
  if (auto mistake = findMistake(options))
    return mistake;
  return findContradiction(options);
}
