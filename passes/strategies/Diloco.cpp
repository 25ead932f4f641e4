// diloco=H: ranks train on their own, and an outer optimizer takes a step after H of theirs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
class Diloco : public Strategy {
  Chapter getChapter() const override { return Chapter::Work; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    auto &own = o.of<DilocoPassOptions>();
    keys.addCount("diloco", own.every, 0,
                  "Reduce no gradients; after so many steps move the variables by an outer "
                  "optimizer, whose gradient is how far the ranks have come. 0: reduce")
        .deciding();
    keys.addNumber("outer-rate", own.outerRate,
                   {0, 1e6, true, false, "a number above 0, and at most 1e6"},
                   "With diloco, the learning rate of the outer optimizer")
        .deciding();
    keys.addNumber("outer-momentum", own.outerMomentum,
                   {0, 1, false, true, "a number of at least 0 and less than 1"},
                   "With diloco, the momentum of the outer optimizer, which is Nesterov's")
        .deciding();
  }

  void addConflicts(ConflictTable &table) const override {
    table.exclude("diloco", {"local-sgd"}, "both say when ranks that train on their own meet");
    table.exclude("diloco", {"shard-optimizer", "compress", "sparse=rows", "reduction=sum"},
                  "ranks that train on their own reduce no gradients and need all states of their "
                  "optimizers");
    table.exclude("diloco", {"sync-batch-norm=true"},
                  "ranks that train on their own do not share statistics");
    table.exclude("diloco", {"serve"}, "servers take one gradient of each worker in a step");
    table.need({"outer-rate", "outer-momentum"}, "diloco", "diloco=H");
  }

  bool trainsAlone(const DistributeOptions &o) const override {
    return o.of<DilocoPassOptions>().every > 0;
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    if (!trainsAlone(o))
      return;
    // As with local-sgd; variables are proved to be equal when the launch has added the outer step.
    sequence.leaveOut(
        {Place::ShareStatistics, Place::ReduceGradients, Place::GatherRows, Place::Verify});
    sequence.add(Place::ChooseWhatIsReduced, createDilocoPass, o.of<DilocoPassOptions>(),
                 Ranks::Known);
  }
};
} // namespace

static const Diloco theDiloco;
namespace tutti::strategies {
const Strategy &diloco = theDiloco;
} // namespace tutti::strategies
