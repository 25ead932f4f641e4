// The two steps of a piece.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/schedules/Slices.h"

namespace tutti::runtime::schedules {

/// Scratch is about twice this, whatever the size of the bucket.
constexpr int64_t most_piece_bytes = int64_t(8) << 20;

Slices::Slices(int32_t rank, int32_t ranks, const Row &row)
    : rank(rank), ranks(ranks), elements(row.elements),
      piece(std::max<int64_t>(1, std::min(elements, most_piece_bytes / row.element_bytes))) {}

void Slices::collect(Step &step, Range range) const {
  step.begin(range.begin / piece * 2, slice_of(range, rank));
  for (int32_t peer = 0; peer < ranks; ++peer)
    if (peer != rank) {
      step.add(peer, /*is_send=*/true, Lane::values, slice_of(range, peer));
      step.add(peer, /*is_send=*/false, Lane::values, step.ready);
    }
}

void Slices::give(Step &step, Range range) const {
  step.begin(range.begin / piece * 2 + 1);
  for (int32_t peer = 0; peer < ranks; ++peer)
    if (peer != rank) {
      step.add(peer, /*is_send=*/true, Lane::results, slice_of(range, rank));
      step.add(peer, /*is_send=*/false, Lane::results, slice_of(range, peer));
    }
}

void Slices::give_to(Step &step, int32_t root, Range range) const {
  step.begin(range.begin / piece * 2 + 1);
  if (rank != root)
    step.add(root, /*is_send=*/true, Lane::results, slice_of(range, rank));
  for (int32_t peer = 0; rank == root && peer < ranks; ++peer)
    if (peer != rank)
      step.add(peer, /*is_send=*/false, Lane::results, slice_of(range, peer));
}

} // namespace tutti::runtime::schedules
