// auto: the keys that are not given are searched by the cost model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::strategies;

namespace {
/// The search stands before all passes, in their place: addDistributePipeline adds it.
class Searched : public Strategy {
  Chapter getChapter() const override { return Chapter::Choice; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addFlag(
        "auto", o.searches,
        "Choose mesh, sequence, shard-optimizer, buckets, overlap and hierarchy, as far as they "
        "are not given, by the cost model, for the cluster of cluster=FILE");
    keys.addCount("auto-ranks", o.searchRanks, 1,
                  "With auto, for how many ranks: as many as the launch has, which knows it, else "
                  "as the cluster has");
    keys.addCount("auto-memory", o.searchMemory, 1,
                  "With auto, bytes that a rank may have; dist-run has --memory");
    keys.addFlag("auto-tensors", o.searchExplainsTensors,
                 "With auto, also find the second best form of each tensor that neighbours divide, "
                 "or could; --dry-run and --plan of dist-run do");
  }

  void addConflicts(ConflictTable &table) const override {
    table.exclude("auto", {"serve"}, "the times of servers are not predicted");
    table.need({"auto-ranks", "auto-memory", "auto-tensors"}, "auto", "auto");
  }

  Refusal findConflict(const DistributeOptions &o) const override {
    if (o.searches && o.cluster.empty())
      return "auto needs to know the machines: cluster=FILE, as dist-run -n N --calibrate FILE "
             "measures it";
    return {};
  }

  void addPasses(Sequence &, const DistributeOptions &) const override {}
};
} // namespace

static const Searched theSearched;
namespace tutti::strategies {
const Strategy &searched = theSearched;
} // namespace tutti::strategies
