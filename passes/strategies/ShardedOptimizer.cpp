// shard-optimizer=1|2|3: ranks divide the states of optimizers among them, gradients, variables.
// keep-gathered=BYTES: what they gather of variables they keep for a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

static bool isCountOfBytes(llvm::StringRef value) {
  int64_t bytes = 0;
  return !value.getAsInteger(10, bytes) && bytes >= 0;
}

namespace {
class ShardedOptimizer : public Strategy {
  Chapter getChapter() const override { return Chapter::Work; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addChoice(
        "shard-optimizer", o.shardOptimizer, {{"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}},
        "ZeRO: 1 divides optimizer states among the ranks, 2 gradients, too, 3 variables, "
        "too");
    keys.addWord("keep-gathered", o.keepGathered, {"none", "all"},
                 "With shard-optimizer=3, gather variables of so many bytes once a step, not for "
                 "each use, and keep them to their last use: less is sent, and more memory needed",
                 "BYTES", isCountOfBytes);
  }

  void addConflicts(ConflictTable &table) const override {
    table.need({"keep-gathered"}, "shard-optimizer=3", "shard-optimizer=3");
  }

  /// As the pass takes them: -1 for all.
  static int64_t bytesToKeep(const DistributeOptions &o) {
    int64_t bytes = o.keepGathered == "all" ? -1 : 0;
    (void)llvm::StringRef(o.keepGathered).getAsInteger(10, bytes);
    return bytes;
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    if (o.shardOptimizer == 0)
      return;
    ShardOptimizerPassOptions shard;
    shard.stage = o.shardOptimizer;
    shard.keepGathered = bytesToKeep(o);
    Place place = cutsModel(o) ? Place::DivideParts : Place::ChooseWhatIsReduced;
    sequence.add(place, createShardOptimizerPass, shard, Ranks::Known);
  }
};
} // namespace

static const ShardedOptimizer theShardedOptimizer;
namespace tutti::strategies {
const Strategy &shardedOptimizer = theShardedOptimizer;
} // namespace tutti::strategies
