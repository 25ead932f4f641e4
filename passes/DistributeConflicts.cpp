// What the keys of --distribute cannot ask for together. Nothing that is asked for is dropped
// silently: it is done, or it is an error that names the key it contradicts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Pipelines.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tutti;

namespace {
/// A key that the user gave, as the user wrote it.
struct Request {
  std::string text;
  bool isMade;
};
} // namespace

template <typename Value> static Request request(StringRef key, const Value &value, bool isMade) {
  std::string text;
  llvm::raw_string_ostream(text) << key << "=" << value;
  return {text, isMade};
}

static Request request(StringRef key, const std::optional<int64_t> &value) {
  return request(key, value.value_or(0), value.has_value());
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
  return contradiction(local, {{"sync-batch-norm=true", o.syncBatchNorm.value_or(false)}},
                       "ranks that train on their own do not share statistics");
}

/// Servers take one push of each worker in a step, and divide by the number of workers.
static std::optional<std::string> findServerContradiction(const DistributeOptions &o) {
  Request serve{"serve", !o.serve.empty()};
  Request others[] = {request("local-sgd", o.localSgd, o.localSgd > 0),
                      request("accumulate", o.accumulate, o.accumulate > 1),
                      {"batch-policy=weighted", o.batchPolicy == train::BatchPolicy::Weighted}};
  if (auto found = contradiction(serve, others,
                                 "servers take one gradient of each worker in a step, and all "
                                 "workers count alike"))
    return found;
  bool isScaled = o.scaleLearningRate != DistributeOptions::RateScaling::None;
  if (auto found = contradiction(serve, {{"scale-learning-rate", isScaled}},
                                 "servers take the rates that the model gives; give it others"))
    return found;
  Request reductions[] = {request("shard-optimizer", o.shardOptimizer, o.shardOptimizer > 0),
                          request("compress", o.compress, o.compress != "none"),
                          {"sparse=rows", o.sparse == distribution::SparseMode::Rows},
                          {"sync-batch-norm=true", o.syncBatchNorm.value_or(false)}};
  Request asynchronous{"serve-mode=async", o.serveAsynchronously};
  if (auto found = contradiction(asynchronous, reductions,
                                 "workers that have no common steps reduce nothing"))
    return found;
  if (o.serveStaleness && !o.serveAsynchronously)
    return std::string("serve-staleness is for serve-mode=async: other workers are never ahead");
  Request settings[] = {
      asynchronous,
      request("serve-min-bytes", o.serveMinBytes),
      {"serve-lazy", o.serveLazy.has_value()},
      {"serve-placement=hash", o.servePlacement == distribution::TablePlacement::Hash},
      {"serve-wire", o.serveWire != distribution::TableWire::None},
      {"serve-prefetch", o.servePrefetch.has_value()}};
  for (const Request &setting : settings)
    if (o.serve.empty() && setting.isMade)
      return setting.text + " has no meaning without serve=auto or serve=GLOB,...";
  if (o.serve != llvm::SmallVector<std::string>{"auto"} && o.serveMinBytes)
    return std::string("serve-min-bytes is for serve=auto; what is named is served, however small");
  return std::nullopt;
}

static std::optional<std::string> findContradiction(const DistributeOptions &o) {
  if (auto found = findLocalContradiction(o))
    return found;
  if (auto found = findServerContradiction(o))
    return found;
  if (auto found =
          contradiction({"error-feedback=true", o.errorFeedback.value_or(false)},
                        {{"compress=none", o.compress == "none"}}, "nothing is lost on the wire"))
    return found;
  if (auto found =
          contradiction(request("compress-min-bytes", o.compressMinBytes.value_or(0),
                                o.compressMinBytes.value_or(0) > 0),
                        {{"compress=none", o.compress == "none"}}, "no gradient is narrowed"))
    return found;
  Request limits[] = {request("bucket-bytes", o.bucketBytes),
                      request("first-bucket-bytes", o.firstBucketBytes),
                      request("bucket-count", o.bucketCount),
                      {"bucket-indices", !o.bucketIndices.empty()},
                      {"bucket-percent", !o.bucketPercent.empty()}};
  return contradiction(request("buckets", o.buckets, o.buckets != "fixed"), limits,
                       "limits are for buckets=fixed");
}

/// What a single key says that makes no sense, or too little.
static std::optional<std::string> findMistake(const DistributeOptions &o) {
  for (double percent : o.bucketPercent)
    if (!(percent > 0 && percent <= 100))
      return llvm::formatv("bucket-percent has {0}, which is no share of 100", percent).str();
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
