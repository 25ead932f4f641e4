// Offsets of buffers with known liveness in one arena.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/ArenaLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace tutti::memory {

namespace {

/// What is placed as a whole: a row of buffers, or one buffer that is in no row.
struct Piece {
  llvm::SmallVector<ArenaBuffer *> parts; ///< their offsets count from the start of the piece
  int64_t bytes = 0;

  /// From the first moment of a part to the last.
  int64_t life() const {
    int64_t first = parts.front()->firstMoment, last = parts.front()->lastMoment;
    for (const ArenaBuffer *part : parts) {
      first = std::min(first, part->firstMoment);
      last = std::max(last, part->lastMoment);
    }
    return last - first;
  }

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

/// A buffer that has its place in a layout that is tried.
struct Placed {
  const ArenaBuffer *buffer;
  int64_t offset;
};

static bool liveTogether(const ArenaBuffer &a, const ArenaBuffer &b) {
  return a.firstMoment <= b.lastMoment && b.firstMoment <= a.lastMoment;
}

/// The offsets at which some part of `piece` would overlap a live buffer of `placed`.
static llvm::SmallVector<Taken> findTaken(const Piece &piece, llvm::ArrayRef<Placed> placed) {
  llvm::SmallVector<Taken> taken;
  for (const ArenaBuffer *part : piece.parts)
    for (const Placed &other : placed)
      if (part->bytes > 0 && other.buffer->bytes > 0 && liveTogether(*part, *other.buffer))
        taken.push_back({other.offset - part->offset - part->bytes + 1,
                         other.offset + other.buffer->bytes - part->offset});
  llvm::sort(taken, [](Taken a, Taken b) { return a.begin < b.begin; });
  return taken;
}

/// Which of the free ranges is taken that hold a piece.
enum class Fit { smallest, lowest };

/// Where the free range begins that `fit` says; the end of the used ranges if there is no free one.
static int64_t findStart(llvm::ArrayRef<Taken> taken, Fit fit) {
  int64_t best = -1, bestSize = std::numeric_limits<int64_t>::max(), free = 0;
  for (Taken range : taken) {
    int64_t size = range.begin - free;
    if (size > 0 && fit == Fit::lowest)
      return free;
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

int64_t findLiveBytes(llvm::ArrayRef<ArenaBuffer> buffers) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> changes; // moment, bytes
  for (const ArenaBuffer &buffer : buffers) {
    changes.push_back({buffer.firstMoment, buffer.bytes});
    changes.push_back({buffer.lastMoment + 1, -buffer.bytes});
  }
  llvm::sort(changes); // at one moment, what ends goes before what begins
  int64_t live = 0, most = 0;
  for (auto [moment, bytes] : changes)
    most = std::max(most, live += bytes);
  return most;
}

namespace {

/// One way to place all pieces: in an order, each where it fits best.
class Layout {
public:
  Layout(llvm::ArrayRef<Piece> pieces, llvm::SmallVector<unsigned> order, Fit fit)
      : pieces(pieces), order(std::move(order)), starts(pieces.size()), fit(fit) {
    llvm::SmallVector<Placed> placed;
    for (unsigned number : this->order) {
      const Piece &piece = pieces[number];
      starts[number] = findStart(findTaken(piece, placed), fit);
      for (const ArenaBuffer *part : piece.parts)
        placed.push_back({part, part->offset + starts[number]});
      total = std::max<int64_t>(total, endOf(number));
    }
  }

  int64_t bytes() const { return total; }

  /// The layout for which what ends last here goes first.
  Layout promoteHighest() const {
    llvm::SmallVector<unsigned> other = order;
    llvm::stable_sort(
        other, [&](unsigned a, unsigned b) { return (endOf(a) == total) > (endOf(b) == total); });
    return Layout(pieces, std::move(other), fit);
  }

  void apply() const {
    for (auto [piece, start] : llvm::zip(pieces, starts))
      for (ArenaBuffer *part : piece.parts)
        part->offset += start;
  }

private:
  int64_t endOf(unsigned number) const {
    return llvm::alignTo(starts[number] + pieces[number].bytes, kArenaAlignment);
  }

  llvm::ArrayRef<Piece> pieces;
  llvm::SmallVector<unsigned> order;
  llvm::SmallVector<int64_t> starts; ///< of each piece
  Fit fit;
  int64_t total = 0;
};

} // namespace

/// Pieces in an order by `key`, the largest first.
static llvm::SmallVector<unsigned> sortBy(llvm::ArrayRef<Piece> pieces,
                                          llvm::function_ref<double(const Piece &)> key) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, pieces.size()));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return key(pieces[a]) > key(pieces[b]); });
  return order;
}

static double bytesOf(const Piece &piece) { return double(piece.bytes); }
static double lifeOf(const Piece &piece) { return double(piece.life()); }
static double areaOf(const Piece &piece) { return double(piece.bytes) * double(piece.life() + 1); }

int64_t layOutArena(llvm::MutableArrayRef<ArenaBuffer> buffers, llvm::ArrayRef<ArenaRow> rows) {
  llvm::SmallVector<Piece> pieces = makePieces(buffers, rows);
  // Placing takes the square of the number of pieces, and 2 % are no loss.
  constexpr double kMostWaste = 1.02, kMostWork = 3e7;
  constexpr int kMostAttempts = 16;
  double work = double(pieces.size()) * double(pieces.size());
  int attempts = int(std::min<double>(kMostAttempts, kMostWork / (work + 1)));
  int64_t enough = int64_t(double(findLiveBytes(buffers)) * kMostWaste) + kArenaAlignment;
  Layout best(pieces, sortBy(pieces, bytesOf), Fit::smallest);
  // Of each order in turn, above all if what stands out is then put first.
  const std::pair<double (*)(const Piece &), Fit> orders[] = {{lifeOf, Fit::lowest},
                                                              {areaOf, Fit::lowest},
                                                              {bytesOf, Fit::lowest},
                                                              {areaOf, Fit::smallest}};
  for (auto [key, fit] : orders) {
    if (best.bytes() <= enough || attempts == 0)
      break;
    Layout layout(pieces, sortBy(pieces, key), fit);
    for (int attempt = 0; attempt < attempts && best.bytes() > enough; ++attempt) {
      if (layout.bytes() < best.bytes())
        best = layout;
      layout = layout.promoteHighest();
    }
  }
  best.apply();
  return best.bytes();
}

} // namespace tutti::memory
