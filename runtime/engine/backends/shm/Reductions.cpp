// Reductions in shared memory, each element in rank order. S is the size of a source, N the number
// of members.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/Collectives.h"
#include "runtime/engine/backends/shm/SlicedReduction.h"
#include "runtime/engine/reduction/Reduction.h"

namespace tutti::runtime::shm {
namespace {

/// Part `part` of everyone's piece, in rank order, to part 0 of the destination.
void reduce_piece(const Team &team, const tutti_call &call, const SourceView &seen, int64_t part,
                  const Piece &piece) {
  const void *sources[most_ranks];
  for (int64_t peer = 0; peer < team.size(); ++peer)
    sources[peer] = seen.source(peer, part, piece);
  void *destination = seen.destination(0, piece);
  reduce_in_order(call.type, call.reduction, sources, team.size(), &destination, 1, piece.count);
}

void copy_own_source(const Round &round) {
  for (int64_t i = 0; i < round.bucket.count; ++i)
    if (round.bucket.elements[i] > 0 && round.destination(i) != round.source(i))
      std::memcpy(round.destination(i), round.source(i),
                  round.bucket.elements[i] * round.element_bytes);
}

int32_t flat_reduce(Team &team, tutti_context *context, const tutti_call &call) {
  StagingOptions how = {1, -1, true};
  return run_staged(team, context, call, how, [&](const SourceView &seen) {
    if (team.rank() == call.peer)
      seen.for_each_piece([&](const Piece &piece) { reduce_piece(team, call, seen, 0, piece); });
  });
}

} // namespace

/// To one member. Small buckets: the root reduces what everyone has posted; 1 barrier, N * S read,
/// S written. Large ones: see SlicedReduction.cpp. The others copy their own source.
int32_t reduce(Team &team, tutti_context *context, const tutti_call &call) {
  Round all(call);
  bool is_small = all.bucket.total() * all.element_bytes <= most_flat_bytes;
  int32_t status = is_small ? flat_reduce(team, context, call)
                            : SlicedReduction(team, context, call, call.peer).run();
  if (status == TUTTI_OK && team.rank() != call.peer)
    copy_own_source(all);
  return status;
}

/// Small buckets: everyone reduces what all have posted; 1 barrier, N * N * S read, N * S written.
/// Large ones: see SlicedReduction.cpp.
int32_t all_reduce(Team &team, tutti_context *context, const tutti_call &call) {
  Round all(call);
  if (all.bucket.total() * all.element_bytes > most_flat_bytes)
    return SlicedReduction(team, context, call, -1).run();
  StagingOptions how = {1, -1, true};
  return run_staged(team, context, call, how, [&](const SourceView &seen) {
    seen.for_each_piece([&](const Piece &piece) { reduce_piece(team, call, seen, 0, piece); });
  });
}

/// Rank r reduces part r of all sources into its own destination. N * N * S read, N * S written.
int32_t reduce_scatter(Team &team, tutti_context *context, const tutti_call &call) {
  StagingOptions how = {team.size(), -1, false};
  return run_staged(team, context, call, how, [&](const SourceView &seen) {
    seen.for_each_piece(
        [&](const Piece &piece) { reduce_piece(team, call, seen, team.rank(), piece); });
  });
}

} // namespace tutti::runtime::shm
