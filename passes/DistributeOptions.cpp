// The keys of --distribute="KEY=VALUE ...".
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/DistributeOptions.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti;
using options::Key;
using options::KeyTable;

static void addKeysOfSamples(KeyTable &keys, DistributeOptions &o) {
  using GradientReduction = DistributeOptions::GradientReduction;
  using SparseMode = DistributeOptions::SparseMode;
  keys.addChoice("reduction", o.reduction,
                 {{"mean", GradientReduction::Mean}, {"sum", GradientReduction::Sum}},
                 "How gradients of ranks become one: the mean over samples, or the sum over ranks");
  keys.addFlag("sync-batch-norm", o.syncBatchNorm,
               "Normalize by the statistics of the global batch, as one device does")
      .byDefault("true");
  keys.addChoice("batch-policy", o.batchPolicy,
                 {{"error", train::BatchPolicy::Error},
                  {"drop", train::BatchPolicy::Drop},
                  {"pad", train::BatchPolicy::Pad},
                  {"weighted", train::BatchPolicy::Weighted}},
                 "When the ranks do not divide the global batch: refuse, leave the remainder out, "
                 "repeat samples, or weight unequal parts");
  keys.addChoice(
      "shard", o.shard,
      {{"strided", train::ShardMode::Strided}, {"contiguous", train::ShardMode::Contiguous}},
      "Which samples of a global batch a rank takes: every N-th, or one block");
  keys.addChoice(
      "sparse", o.sparse,
      {{"auto", SparseMode::Auto}, {"rows", SparseMode::Rows}, {"dense", SparseMode::Dense}},
      "What gradients of lookups are reduced as: what moves fewer bytes, the rows that a batch "
      "touches, or the whole table");
}

static void addKeysOfVariables(KeyTable &keys, DistributeOptions &o) {
  using RateScaling = DistributeOptions::RateScaling;
  keys.addFlag("trainable-only", o.trainableOnly, "Broadcast only the trainable initial variables");
  keys.addCount("root", o.root, 0, "Rank whose initial variables all others get");
  keys.addChoice(
      "scale-learning-rate", o.scaleLearningRate,
      {{"none", RateScaling::None}, {"linear", RateScaling::Linear}, {"sqrt", RateScaling::Sqrt}},
      "Multiply learning rates by the number of ranks, or by its square root");
  keys.addFlag("lint-errors", o.lintErrors,
               "Refuse programs for which distribute-lint has a remark");
  keys.addCount("accumulate", o.accumulate, 1,
                "Compute gradients on this many parts of the batch, one after the other");
  keys.addCount("local-sgd", o.localSgd, 0,
                "Reduce no gradients; average the variables after so many steps. 0: reduce");
  keys.addChoice("shard-optimizer", o.shardOptimizer, {{"0", 0}, {"1", 1}, {"2", 2}},
                 "ZeRO: 1 divides optimizer states among the ranks, 2 gradients, too");
}

static void addKeysOfServers(KeyTable &keys, DistributeOptions &o) {
  using Placement = distribution::TablePlacement;
  keys.addList("serve", o.serve,
               "Variables that servers hold and update: auto (large tables of which a step touches "
               "a few rows), or those of these names, as rows where that is possible")
      .type = "auto|GLOB,...";
  keys.addCount("serve-min-bytes", o.serveMinBytes, 0, "With serve=auto, smaller tables stay")
      .byDefault("64 MiB");
  keys.addFlag("serve-lazy", o.serveLazy,
               "Serve tables whose optimizer changes rows without a gradient, too; then it does "
               "not change these")
      .byDefault("false");
  keys.addChoice("serve-placement", o.servePlacement,
                 {{"range", Placement::Range}, {"hash", Placement::Hash}},
                 "Which server holds a row: that of its range, or of its hash");
  keys.addChoice("serve-mode", o.serveAsynchronously, {{"sync", false}, {"async", true}},
                 "sync: servers update once a step, when all workers have pushed. async: with each "
                 "push, and workers do not wait for each other; for serve=*");
  keys.addCount("serve-staleness", o.serveStaleness, 0,
                "With serve-mode=async, by how many steps a worker may be ahead of the slowest")
      .byDefault("no bound");
  using Wire = distribution::TableWire;
  keys.addChoice("serve-wire", o.serveWire,
                 {{"none", Wire::None}, {"bf16", Wire::BF16}, {"f16", Wire::F16}},
                 "As what rows of f32 and their gradients travel; servers keep f32");
  keys.addFlag("serve-prefetch", o.servePrefetch,
               "Workers ask for the rows of the next step while they compute this one")
      .byDefault("false");
}

/// One of the words, or what `other` accepts.
static Key wordKey(const char *name, std::string &field, ArrayRef<StringRef> words,
                   const char *otherType, bool (*other)(StringRef), const char *text) {
  SmallVector<StringRef> known(words);
  auto assign = [&field, known, otherType, other](StringRef value) -> std::optional<std::string> {
    if (llvm::is_contained(known, value) || (other && other(value)))
      return field = value.str(), std::nullopt;
    SmallVector<StringRef> all(known);
    if (other)
      all.push_back(otherType);
    return options::joinWords(all) + options::didYouMean(value, known);
  };
  std::string type = llvm::join(known, "|");
  return {name, other ? type + "|" + otherType : type, field, text, assign, field};
}

static void addKeysOfTravel(KeyTable &keys, DistributeOptions &o) {
  auto isCount = [](StringRef value) {
    int64_t ranks = 0;
    return !value.getAsInteger(10, ranks) && ranks > 0;
  };
  keys.add(wordKey("compress", o.compress, {"none", "f16", "bf16"}, "", nullptr,
                   "Type of gradients on the wire"));
  keys.addCount("compress-min-bytes", o.compressMinBytes, 0, "Smaller gradients keep their type")
      .byDefault("0");
  keys.addFlag("error-feedback", o.errorFeedback,
               "Add what the wire type loses to the gradient of the next step")
      .byDefault("false");
  keys.add(wordKey("hierarchy", o.hierarchy, {"none", "auto"}, "RANKS-PER-NODE", isCount,
                   "Reduce within nodes before across them: none, auto (nodes as the launch finds "
                   "them; with a cluster file, where the cost model finds it faster) or a number "
                   "of ranks on each node"));
  keys.addFlag("overlap", o.overlap, "Communicate while computing");
  keys.addText("cluster", o.cluster, "FILE",
               "Let the cost model choose what is not said, and what is auto, for the cluster of "
               "this file (dist-run --calibrate)");
}

static void addKeysOfBuckets(KeyTable &keys, DistributeOptions &o) {
  keys.add(wordKey("buckets", o.buckets, {"fixed", "none", "auto"}, "", nullptr,
                   "Which gradients travel together: as the bucket-... keys say, each alone, or as "
                   "the cost model finds best"));
  keys.addCount("bucket-bytes", o.bucketBytes, 0, "Most bytes of a bucket; 0: no limit")
      .byDefault("25 MiB");
  keys.addCount("first-bucket-bytes", o.firstBucketBytes, 0, "Most bytes of the first bucket")
      .byDefault("1 MiB");
  keys.addCount("bucket-count", o.bucketCount, 1, "Collectives of each bucket");
  keys.addList("bucket-indices", o.bucketIndices, "The last collective of each bucket");
  keys.addList("bucket-percent", o.bucketPercent, "The share of each bucket in all bytes");
}

KeyTable DistributeOptions::keys() {
  KeyTable keys("--distribute");
  addKeysOfSamples(keys, *this);
  addKeysOfVariables(keys, *this);
  addKeysOfServers(keys, *this);
  addKeysOfBuckets(keys, *this);
  addKeysOfTravel(keys, *this);
  return keys;
}

FailureOr<DistributeOptions> DistributeOptions::parse(StringRef text, options::Complain complain) {
  DistributeOptions options;
  if (failed(options.keys().parse(text, complain)))
    return failure();
  return options;
}
