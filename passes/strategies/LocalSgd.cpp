// local-sgd=N: ranks train on their own, and average their variables after N steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Contradiction.h"
#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
class LocalSgd : public Strategy {
  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addCount("local-sgd", o.localSgd, 0,
                  "Reduce no gradients; average the variables after so many steps. 0: reduce")
        .deciding();
  }

  std::optional<std::string> findConflict(const DistributeOptions &o) const override {
    Request local = request("local-sgd", o.localSgd, o.localSgd > 0);
    Request reductions[] = {request("shard-optimizer", o.shardOptimizer, o.shardOptimizer > 0),
                            request("compress", o.compress, o.compress != "none"),
                            {"sparse=rows", o.sparse == SparseMode::Rows},
                            {"reduction=sum", o.reduction == GradientReduction::Sum}};
    if (auto found = findContradiction(local, reductions,
                                       "ranks that train on their own reduce no gradients and need "
                                       "all states of their optimizers"))
      return found;
    return findContradiction(local, {{"sync-batch-norm=true", o.syncBatchNorm.value_or(false)}},
                             "ranks that train on their own do not share statistics");
  }

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
const Strategy &strategies::localSgd = theLocalSgd;
