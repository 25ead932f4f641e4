// Offsets of buffers with known liveness in one arena.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/ArenaLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace tutti::memory {

namespace {

/// What is placed as a whole: a row of buffers, or one buffer that is in no row.
struct Piece {
  llvm::SmallVector<ArenaBuffer *> parts; ///< their offsets count from the start of the piece
  int64_t bytes = 0;

  void append(ArenaBuffer &buffer) {
    buffer.offset = bytes;
    bytes += buffer.bytes;
    parts.push_back(&buffer);
  }
};

/// Offsets [begin, end) at which a piece cannot start.
struct Taken {
  int64_t begin, end;
};

} // namespace

static bool liveTogether(const ArenaBuffer &a, const ArenaBuffer &b) {
  return a.firstMoment <= b.lastMoment && b.firstMoment <= a.lastMoment;
}

/// The offsets at which some part of `piece` would overlap a live buffer of `placed`.
static llvm::SmallVector<Taken> findTaken(const Piece &piece,
                                          llvm::ArrayRef<const ArenaBuffer *> placed) {
  llvm::SmallVector<Taken> taken;
  for (const ArenaBuffer *part : piece.parts)
    for (const ArenaBuffer *other : placed)
      if (part->bytes > 0 && other->bytes > 0 && liveTogether(*part, *other))
        taken.push_back({other->offset - part->offset - part->bytes + 1,
                         other->offset + other->bytes - part->offset});
  llvm::sort(taken, [](Taken a, Taken b) { return a.begin < b.begin; });
  return taken;
}

/// Where the smallest free range begins; the end of the used ranges if there is no free one.
static int64_t findStart(llvm::ArrayRef<Taken> taken) {
  int64_t best = -1, bestSize = std::numeric_limits<int64_t>::max(), free = 0;
  for (Taken range : taken) {
    int64_t size = range.begin - free;
    if (size > 0 && size < bestSize) {
      best = free;
      bestSize = size;
    }
    free = std::max<int64_t>(free, llvm::alignTo(std::max<int64_t>(range.end, 0), kArenaAlignment));
  }
  return best >= 0 ? best : free;
}

static llvm::SmallVector<Piece> makePieces(llvm::MutableArrayRef<ArenaBuffer> buffers,
                                           llvm::ArrayRef<ArenaRow> rows) {
  llvm::SmallVector<int> rowOf(buffers.size(), -1);
  for (auto [row, members] : llvm::enumerate(rows))
    for (unsigned member : members)
      rowOf[member] = row;
  llvm::SmallVector<Piece> pieces;
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    if (rowOf[index] < 0) {
      pieces.emplace_back().append(buffer);
      continue;
    }
    const ArenaRow &row = rows[rowOf[index]];
    if (*llvm::min_element(row) != index) // a row stands where its first buffer does
      continue;
    Piece &piece = pieces.emplace_back();
    for (unsigned member : row)
      piece.append(buffers[member]);
  }
  return pieces;
}

int64_t layOutArena(llvm::MutableArrayRef<ArenaBuffer> buffers, llvm::ArrayRef<ArenaRow> rows) {
  llvm::SmallVector<Piece> pieces = makePieces(buffers, rows);
  llvm::stable_sort(pieces, [](auto &a, auto &b) { return a.bytes > b.bytes; });
  llvm::SmallVector<const ArenaBuffer *> placed;
  int64_t total = 0;
  for (Piece &piece : pieces) {
    int64_t start = findStart(findTaken(piece, placed));
    for (ArenaBuffer *part : piece.parts) {
      part->offset += start;
      placed.push_back(part);
    }
    total = std::max<int64_t>(total, llvm::alignTo(start + piece.bytes, kArenaAlignment));
  }
  return total;
}

} // namespace tutti::memory
