// accumulate=K: large batches in little memory, one micro-batch after the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
class Accumulation : public Strategy {
  Chapter getChapter() const override { return Chapter::Work; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addCount("accumulate", o.accumulate, 1,
                  "Compute gradients on this many parts of the batch, one after the other")
        .deciding();
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    sequence.add(Place::Accumulate, createAccumulateGradientsPass, {o.accumulate, o.reduction});
  }
};
} // namespace

static const Accumulation theAccumulation;
namespace tutti::strategies {
const Strategy &accumulation = theAccumulation;
} // namespace tutti::strategies
