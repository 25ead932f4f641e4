// Where buffers with known lives go in one arena.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lowering/ArenaLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace tutti::lowering {

static bool liveTogether(const ArenaBuffer &a, const ArenaBuffer &b) {
  return a.firstMoment <= b.lastMoment && b.firstMoment <= a.lastMoment;
}

/// The start of the smallest gap between `obstacles` (sorted by offset) that holds `bytes`; behind
/// them all if none does.
static int64_t findGap(llvm::ArrayRef<const ArenaBuffer *> obstacles, int64_t bytes) {
  int64_t best = -1, bestSize = std::numeric_limits<int64_t>::max(), end = 0;
  for (const ArenaBuffer *obstacle : obstacles) {
    int64_t size = obstacle->offset - end;
    if (size >= bytes && size < bestSize) {
      best = end;
      bestSize = size;
    }
    end =
        std::max<int64_t>(end, llvm::alignTo(obstacle->offset + obstacle->bytes, kArenaAlignment));
  }
  return best >= 0 ? best : end;
}

int64_t layOutArena(llvm::MutableArrayRef<ArenaBuffer> buffers) {
  llvm::SmallVector<ArenaBuffer *> order =
      llvm::to_vector(llvm::map_range(buffers, [](ArenaBuffer &buffer) { return &buffer; }));
  llvm::stable_sort(order, [](auto *a, auto *b) { return a->bytes > b->bytes; });
  llvm::SmallVector<const ArenaBuffer *> placed; // sorted by offset
  int64_t total = 0;
  for (ArenaBuffer *buffer : order) {
    llvm::SmallVector<const ArenaBuffer *> obstacles;
    llvm::copy_if(placed, std::back_inserter(obstacles),
                  [&](auto *other) { return liveTogether(*buffer, *other); });
    buffer->offset = findGap(obstacles, buffer->bytes);
    total =
        std::max<int64_t>(total, llvm::alignTo(buffer->offset + buffer->bytes, kArenaAlignment));
    auto *position =
        llvm::upper_bound(placed, buffer, [](auto *a, auto *b) { return a->offset < b->offset; });
    placed.insert(position, buffer);
  }
  return total;
}

} // namespace tutti::lowering
