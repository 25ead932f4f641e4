// overlap=true: communicate while computing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

#include "passes/communication/Passes.h"

using namespace tutti;
using namespace tutti::strategies;

namespace {
class Overlap : public Strategy {
  Chapter getChapter() const override { return Chapter::Travel; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addFlag("overlap", o.overlap, "Communicate while computing");
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    // On one rank nothing may change, not even the order of operations.
    if (o.overlap)
      sequence.add(Place::Overlap, communication::createCollectiveOverlapPass, Ranks::Known);
  }
};
} // namespace

static const Overlap theOverlap;
namespace tutti::strategies {
const Strategy &overlap = theOverlap;
} // namespace tutti::strategies
