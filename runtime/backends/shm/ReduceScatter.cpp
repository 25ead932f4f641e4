// Reduce-scatter in shared memory: rank r reduces part r of all sources, in rank order, into its
// own destination. Steps and traffic: as Exposure.h says, with N * N * S read, N * S written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/PieceReduction.h"

namespace tutti::runtime::shm {

int32_t reduce_scatter(Team &team, tutti_context *context, const tutti_call &call) {
  Exposing how = {team.size(), -1, false};
  return expose(team, context, call, how, [&](const Exposure &seen) {
    seen.for_each_piece(
        [&](const Piece &piece) { reduce_piece(team, call, seen, team.rank(), piece); });
  });
}

} // namespace tutti::runtime::shm
