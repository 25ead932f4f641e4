// local-sgd=N: ranks train on their own, and average their variables after N steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
class LocalSgd : public Strategy {
  Chapter getChapter() const override { return Chapter::Work; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addCount("local-sgd", o.localSgd, 0,
                  "Reduce no gradients; average the variables after so many steps. 0: reduce")
        .deciding();
  }

  void addConflicts(ConflictTable &table) const override {
    table.exclude("local-sgd", {"shard-optimizer", "compress", "sparse=rows", "reduction=sum"},
                  "ranks that train on their own reduce no gradients and need all states of their "
                  "optimizers");
    table.exclude("local-sgd", {"sync-batch-norm=true"},
                  "ranks that train on their own do not share statistics");
  }

  bool trainsAlone(const DistributeOptions &o) const override { return o.localSgd > 0; }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    if (o.localSgd == 0)
      return;
    // They have statistics of their own, and that variables are equal after an average is to be
    // proved of what the launch makes.
    sequence.leaveOut(
        {Place::ShareStatistics, Place::ReduceGradients, Place::GatherRows, Place::Verify});
    // The counter that it may add to the variables must not be there on one rank.
    LocalSgdPassOptions local;
    local.every = o.localSgd;
    sequence.add(Place::ChooseWhatIsReduced, createLocalSgdPass, local, Ranks::Known);
  }
};
} // namespace

static const LocalSgd theLocalSgd;
namespace tutti::strategies {
const Strategy &localSgd = theLocalSgd;
} // namespace tutti::strategies
