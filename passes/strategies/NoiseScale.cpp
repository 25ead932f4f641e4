// noise-scale=true: how noisy gradients are, as a metric of each step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
/// What its key is bound to: the pass has no options.
struct NoiseScaleKeys {
  bool isAsked = false;
};

class NoiseScale : public Strategy {
  Chapter getChapter() const override { return Chapter::Work; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    keys.addFlag("noise-scale", o.of<NoiseScaleKeys>().isAsked,
                 "Measure the noise of gradients, from those of one rank and those of all: the "
                 "metric noise_scale of each step. For 2 ranks or more");
  }

  void addConflicts(ConflictTable &table) const override {
    table.exclude("noise-scale", {"local-sgd", "diloco"},
                  "ranks that train on their own have no mean of gradients to compare with");
    table.exclude("noise-scale", {"serve"}, "servers keep the mean of gradients to themselves");
    table.exclude("noise-scale", {"batch-policy=weighted", "batch-policy=pad"},
                  "it compares gradients of as many samples, each of which counts once");
    table.exclude("noise-scale", {"reduction=sum"}, "it compares means over samples");
    table.exclude("noise-scale", {"sparse=rows"}, "it needs the norms of whole gradients");
    table.exclude("noise-scale", {"shard-optimizer=2", "shard-optimizer=3"},
                  "no rank has the whole of a reduced gradient");
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    if (o.of<NoiseScaleKeys>().isAsked)
      sequence.add(Place::ChooseWhatIsReduced, createNoiseScalePass, Ranks::Known);
  }
};
} // namespace

static const NoiseScale theNoiseScale;
namespace tutti::strategies {
const Strategy &noiseScale = theNoiseScale;
} // namespace tutti::strategies
