// The reduction of one piece of an exposure into a destination of this member.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_SHM_PIECEREDUCTION_H
#define TUTTI_RUNTIME_BACKENDS_SHM_PIECEREDUCTION_H

#include "runtime/backends/shm/Exposure.h"
#include "runtime/core/Reduction.h"

namespace tutti::runtime::shm {

/// Part `part` of everyone's piece, in rank order, to part 0 of the destination.
inline void reduce_piece(const Team &team, const tutti_call &call, const Exposure &seen,
                         int64_t part, const Piece &piece) {
  const void *sources[most_ranks];
  for (int64_t peer = 0; peer < team.size(); ++peer)
    sources[peer] = seen.source(peer, part, piece);
  void *destination = seen.destination(0, piece);
  reduce_in_order(call.type, call.reduction, sources, team.size(), &destination, 1, piece.count);
}

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_BACKENDS_SHM_PIECEREDUCTION_H
