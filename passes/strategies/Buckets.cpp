// buckets=fixed|none|auto, bucket-...: which gradients travel together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Buckets.h"
#include "passes/strategies/Strategy.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tutti;
using namespace tutti::communication;
using namespace tutti::strategies;

CollectiveFusePassOptions strategies::fuseOptions(const DistributeOptions &o) {
  CollectiveFusePassOptions fuse;
  fuse.bucketBytes = o.bucketBytes.value_or(fuse.bucketBytes);
  fuse.firstBucketBytes = o.firstBucketBytes.value_or(fuse.firstBucketBytes);
  fuse.count = o.bucketCount.value_or(fuse.count);
  fuse.indices.assign(o.bucketIndices.begin(), o.bucketIndices.end());
  fuse.percent.assign(o.bucketPercent.begin(), o.bucketPercent.end());
  return fuse;
}

bool strategies::fusesByLimits(const DistributeOptions &o) {
  return o.buckets == "fixed" && o.cluster.empty();
}

namespace {
class Buckets : public Strategy {
  Chapter getChapter() const override { return Chapter::Travel; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addWord("buckets", o.buckets, {"fixed", "none", "auto"},
                 "Which gradients travel together: as the bucket-... keys say, each alone, or as "
                 "the cost model finds best");
    keys.addCount("bucket-bytes", o.bucketBytes, 0, "Most bytes of a bucket; 0: no limit")
        .byDefault("25 MiB");
    keys.addCount("first-bucket-bytes", o.firstBucketBytes, 0, "Most bytes of the first bucket")
        .byDefault("1 MiB");
    keys.addCount("bucket-count", o.bucketCount, 1, "Collectives of each bucket");
    keys.addList("bucket-indices", o.bucketIndices, "The last collective of each bucket");
    keys.addList("bucket-percent", o.bucketPercent, "The share of each bucket in all bytes");
  }

  void addConflicts(ConflictTable &table) const override {
    table.exclude(
        "buckets",
        {"bucket-bytes", "first-bucket-bytes", "bucket-count", "bucket-indices", "bucket-percent"},
        "limits are for buckets=fixed");
  }

  Refusal findConflict(const DistributeOptions &o) const override {
    for (double percent : o.bucketPercent)
      if (!(percent > 0 && percent <= 100))
        return llvm::formatv("bucket-percent has {0}, which is no share of 100", percent).str();
    if (o.buckets == "auto" && o.cluster.empty())
      return "buckets=auto needs to know the machines: cluster=FILE, as of dist-run --calibrate "
             "FILE";
    return {};
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    if (!fusesByLimits(o))
      return;
    if (o.shardOptimizer > 0 && cutsModel(o)) // it is decided there what is reduced
      sequence.add(Place::DivideParts, createCollectiveFusePass, fuseOptions(o), Ranks::Known);
    else
      sequence.add(Place::Fuse, createCollectiveFusePass, fuseOptions(o));
  }
};
} // namespace

static const Buckets theBuckets;
namespace tutti::strategies {
const Strategy &buckets = theBuckets;
} // namespace tutti::strategies
