// sparse=auto|rows|dense: gradients of lookups travel as the rows that a batch touches, or as whole
// tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
class SparseGradients : public Strategy {
  Chapter getChapter() const override { return Chapter::Samples; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addChoice(
        "sparse", o.sparse,
        {{"auto", SparseMode::Auto}, {"rows", SparseMode::Rows}, {"dense", SparseMode::Dense}},
        "What gradients of lookups are reduced as: what moves fewer bytes, the rows that a batch "
        "touches, or the whole table");
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    sequence.add(Place::GatherRows, createSparseGradientsPass, {o.sparse});
  }
};
} // namespace

static const SparseGradients theSparseGradients;
namespace tutti::strategies {
const Strategy &sparseGradients = theSparseGradients;
} // namespace tutti::strategies
