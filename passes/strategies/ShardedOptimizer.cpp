// shard-optimizer=1|2|3: ranks divide the states of optimizers among them, gradients, variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
class ShardedOptimizer : public Strategy {
  Chapter getChapter() const override { return Chapter::Work; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addChoice(
        "shard-optimizer", o.shardOptimizer, {{"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}},
        "ZeRO: 1 divides optimizer states among the ranks, 2 gradients, too, 3 variables, "
        "too");
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    if (o.shardOptimizer == 0)
      return;
    ShardOptimizerPassOptions shard;
    shard.stage = o.shardOptimizer;
    Place place = cutsModel(o) ? Place::DivideParts : Place::ChooseWhatIsReduced;
    sequence.add(place, createShardOptimizerPass, shard, Ranks::Known);
  }
};
} // namespace

static const ShardedOptimizer theShardedOptimizer;
namespace tutti::strategies {
const Strategy &shardedOptimizer = theShardedOptimizer;
} // namespace tutti::strategies
