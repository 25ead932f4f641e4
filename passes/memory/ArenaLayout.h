// Where buffers with known live ranges go in one arena. Pure arithmetic: knows no IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_MEMORY_ARENALAYOUT_H
#define TUTTI_PASSES_MEMORY_ARENALAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace tutti::memory {

/// A buffer: its size in bytes, the first and last moment (inclusive) at which it holds something,
/// and the place that the layout gives it.
struct ArenaBuffer {
  int64_t bytes = 0;
  int64_t firstMoment = 0;
  int64_t lastMoment = 0;
  int64_t offset = 0;
};

/// Indices of buffers that are contiguous, in this order.
using ArenaRow = llvm::SmallVector<unsigned>;

/// The offset of every row, and of every buffer that is in none, is a multiple of this.
constexpr int64_t kArenaAlignment = 64;

/// The most bytes that live at once: no layout has fewer.
int64_t findLiveBytes(llvm::ArrayRef<ArenaBuffer> buffers);

/// Sets the offset of each buffer such that buffers with a common moment do not overlap, and
/// returns the size of the arena. What is larger goes first, rows as a whole, each into the
/// smallest gap that holds it (best fit); where that wastes more than a few per cent, other orders
/// are tried, and the smallest arena is taken. The place of a buffer in a row is free for others
/// while that buffer itself does not live. No buffer is in two rows. The result depends on the
/// input only.
int64_t layOutArena(llvm::MutableArrayRef<ArenaBuffer> buffers, llvm::ArrayRef<ArenaRow> rows = {});

} // namespace tutti::memory

#endif // TUTTI_PASSES_MEMORY_ARENALAYOUT_H
