// interleave=N: one micro-batch computes while another communicates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
class Interleave : public Strategy {
  Chapter getChapter() const override { return Chapter::Work; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addCount("interleave", o.of<InterleavePassOptions>().microBatches, 1,
                  "With accumulate=K, so many micro-batches are computed together: while one of "
                  "them communicates, as with mesh=tp:N, the others compute");
  }

  void addConflicts(ConflictTable &table) const override {
    table.need({"interleave"}, "accumulate", "accumulate=K");
    table.need({"interleave"}, "overlap=true", "overlap=true");
  }

  Refusal findConflict(const DistributeOptions &o) const override {
    int64_t together = o.of<InterleavePassOptions>().microBatches;
    if (o.accumulate % together == 0)
      return {};
    return "interleave=" + std::to_string(together) +
           " does not divide accumulate=" + std::to_string(o.accumulate) +
           "; change one of the two";
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    const auto &own = o.of<InterleavePassOptions>();
    if (own.microBatches > 1)
      sequence.add(Place::Interleave, createInterleavePass, own, Ranks::Known);
  }
};
} // namespace

static const Interleave theInterleave;
namespace tutti::strategies {
const Strategy &interleave = theInterleave;
} // namespace tutti::strategies
