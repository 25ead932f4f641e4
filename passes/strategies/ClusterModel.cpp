// cluster=FILE: the cost model chooses buckets, levels and overlap for the machines of a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Buckets.h"
#include "passes/strategies/Strategy.h"

#include "passes/planning/Passes.h"

using namespace tutti;
using namespace tutti::strategies;

namespace {
class ClusterModel : public Strategy {
  Chapter getChapter() const override { return Chapter::Choice; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addText("cluster", o.cluster, "FILE",
                 "Let the cost model choose what is not said, and what is auto, for the cluster of "
                 "this file (dist-run --calibrate)");
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    if (o.cluster.empty())
      return;
    sequence.leaveOut({Place::SplitLevels, Place::Overlap});
    planning::CollectiveChoosePassOptions choose;
    choose.cluster = o.cluster;
    choose.hierarchy = o.hierarchy;
    choose.overlap = o.overlap;
    std::string limits = limitsOf(o);
    if (!limits.empty() || o.buckets != "fixed")
      choose.buckets = limits.empty() ? o.buckets : limits;
    sequence.add(Place::ChooseByCost, planning::createCollectiveChoosePass, choose, Ranks::Known);
  }

  static std::string limitsOf(const DistributeOptions &o) {
    return spellOptions(*communication::createCollectiveFusePass(fuseOptions(o)),
                        *communication::createCollectiveFusePass());
  }
};
} // namespace

static const ClusterModel theClusterModel;
namespace tutti::strategies {
const Strategy &clusterModel = theClusterModel;
} // namespace tutti::strategies
