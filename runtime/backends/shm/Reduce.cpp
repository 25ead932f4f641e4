// Reduction to one member in shared memory. Small buckets: everyone posts its sources and the root
// reduces them, in rank order. 1 barrier; N * S read, S written. Large ones: see
// SlicedReduction.cpp. The others copy their own source.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/PieceReduction.h"
#include "runtime/backends/shm/SlicedReduction.h"

namespace tutti::runtime::shm {
namespace {

void copy_own_source(const Round &round) {
  for (int64_t i = 0; i < round.bucket.count; ++i)
    if (round.bucket.elements[i] > 0 && round.destination(i) != round.source(i))
      std::memcpy(round.destination(i), round.source(i),
                  round.bucket.elements[i] * round.element_bytes);
}

int32_t flat_reduce(Team &team, tutti_context *context, const tutti_call &call) {
  Exposing how = {1, -1, true};
  return expose(team, context, call, how, [&](const Exposure &seen) {
    if (team.rank() == call.peer)
      seen.for_each_piece([&](const Piece &piece) { reduce_piece(team, call, seen, 0, piece); });
  });
}

} // namespace

int32_t reduce(Team &team, tutti_context *context, const tutti_call &call) {
  Round all(call);
  bool is_small = all.bucket.total() * all.element_bytes <= most_flat_bytes;
  int32_t status = is_small ? flat_reduce(team, context, call)
                            : SlicedReduction(team, context, call, call.peer).run();
  if (status == TUTTI_OK && team.rank() != call.peer)
    copy_own_source(all);
  return status;
}

} // namespace tutti::runtime::shm
