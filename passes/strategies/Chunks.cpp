// chunks=N: neighbours exchange one chunk of a value while they compute another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::strategies;

namespace {
class Chunks : public Strategy {
  Chapter getChapter() const override { return Chapter::Work; }

  void addKeys(options::KeyTable &keys, DistributeOptions &o) const override {
    auto &own = o.of<ChunksPassOptions>();
    keys.addCount("chunks", own.chunks, 1,
                  "With mesh=tp:N, neighbours compute and exchange values in so many chunks: while "
                  "one is on its way, another is computed");
    keys.addCount("chunk-min-bytes", own.minBytes, 0,
                  "With chunks=N, what has fewer bytes is exchanged whole");
  }

  void addConflicts(ConflictTable &table) const override {
    table.exclude("chunks", {"batch-policy=weighted"},
                  "ranks with batches of two sizes would not exchange alike; leave one of the two "
                  "keys away");
    table.need({"chunks"}, "mesh", "mesh=tp:N");
    table.need({"chunks"}, "overlap=true", "overlap=true");
    table.need({"chunk-min-bytes"}, "chunks", "chunks=N");
  }

  void addPasses(Sequence &sequence, const DistributeOptions &o) const override {
    const auto &own = o.of<ChunksPassOptions>();
    if (own.chunks > 1)
      sequence.add(Place::Chunk, createChunksPass, own, Ranks::WithBatch);
  }
};
} // namespace

static const Chunks theChunks;
namespace tutti::strategies {
const Strategy &chunks = theChunks;
} // namespace tutti::strategies
