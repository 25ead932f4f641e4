// hierarchy=auto|RANKS-PER-NODE: reduce within nodes before across them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

#include "passes/communication/Passes.h"

using namespace tutti;
using namespace tutti::communication;
using namespace tutti::strategies;

static bool isCountOfRanks(llvm::StringRef value) {
  int64_t ranks = 0;
  return !value.getAsInteger(10, ranks) && ranks > 0;
}

namespace {
class Hierarchy : public Strategy {
  Chapter getChapter() const override { return Chapter::Travel; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addWord("hierarchy", o.hierarchy, {"none", "auto"},
                 "Reduce within nodes before across them: none, auto (nodes as the launch finds "
                 "them; with a cluster file, where the cost model finds it faster) or a number of "
                 "ranks on each node",
                 "RANKS-PER-NODE", isCountOfRanks);
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    if (o.hierarchy == "none")
      return;
    CollectiveHierarchyPassOptions levels;
    if (o.hierarchy != "auto")
      (void)llvm::StringRef(o.hierarchy).getAsInteger(10, levels.ranksPerNode);
    sequence.add(Place::SplitLevels, createCollectiveHierarchyPass, levels, Ranks::Known);
  }
};
} // namespace

static const Hierarchy theHierarchy;
namespace tutti::strategies {
const Strategy &hierarchy = theHierarchy;
} // namespace tutti::strategies
