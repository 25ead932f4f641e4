// All-reduce in shared memory. Small buckets: everyone posts its sources and reduces all of them,
// in rank order. 1 barrier; N * N * S read, N * S written. Large ones: see SlicedReduction.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/PieceReduction.h"
#include "runtime/backends/shm/SlicedReduction.h"

namespace tutti::runtime::shm {

int32_t all_reduce(Team &team, tutti_context *context, const tutti_call &call) {
  Round all(call);
  if (all.bucket.total() * all.element_bytes > most_flat_bytes)
    return SlicedReduction(team, context, call, -1).run();
  Exposing how = {1, -1, true};
  return expose(team, context, call, how, [&](const Exposure &seen) {
    seen.for_each_piece([&](const Piece &piece) { reduce_piece(team, call, seen, 0, piece); });
  });
}

} // namespace tutti::runtime::shm
