// Collectives that move data in shared memory, each as Staging.h describes its ways. S is the size
// of a source, N the number of members.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/Collectives.h"
#include "runtime/engine/backends/shm/Staging.h"

namespace tutti::runtime::shm {

/// As least_read_part where all others want the same bytes. A stage serves them all: of four
/// members the three took 640 microseconds from there, and 750 where 1 MiB lies.
static int64_t least_read_by_all(const Team &team) {
  return team.size() == 2 ? least_read_part : INT64_MAX;
}

/// Everyone copies from where the root's buffer lies. (N - 1) * S copied, each member its own part.
int32_t broadcast(Team &team, tutti_context *context, const tutti_call &call) {
  StagingOptions how = {1, call.peer, true, least_read_by_all(team)};
  return run_staged(team, context, call, how, [&](const SourceView &seen) {
    seen.for_each_piece([&](const Piece &piece) { seen.fetch(call.peer, 0, 0, piece); });
  });
}

/// Everyone copies every source from where it lies. N * N * S copied, each member its own result.
int32_t all_gather(Team &team, tutti_context *context, const tutti_call &call) {
  StagingOptions how = {1, -1, true, least_read_by_all(team)};
  return run_staged(team, context, call, how, [&](const SourceView &seen) {
    seen.for_each_piece([&](const Piece &piece) {
      for (int64_t peer = 0; peer < team.size(); ++peer)
        seen.fetch(peer, 0, peer, piece);
    });
  });
}

/// The root copies every source from where it lies. N * S copied, all by the root.
int32_t gather(Team &team, tutti_context *context, const tutti_call &call) {
  StagingOptions how = {1, -1, true};
  return run_staged(team, context, call, how, [&](const SourceView &seen) {
    if (team.rank() != call.peer)
      return;
    seen.for_each_piece([&](const Piece &piece) {
      for (int64_t peer = 0; peer < team.size(); ++peer)
        seen.fetch(peer, 0, peer, piece);
    });
  });
}

/// Everyone copies its part from where the root's buffer lies. N * S copied, each member its own
/// part.
int32_t scatter(Team &team, tutti_context *context, const tutti_call &call) {
  StagingOptions how = {team.size(), call.peer, false, least_read_part};
  return run_staged(team, context, call, how, [&](const SourceView &seen) {
    seen.for_each_piece([&](const Piece &piece) { seen.fetch(call.peer, team.rank(), 0, piece); });
  });
}

/// Everyone copies its part of every source from where it lies, beginning with its own, so that no
/// two read from one member at once. N * N * S copied, each member its own result.
int32_t all_to_all(Team &team, tutti_context *context, const tutti_call &call) {
  StagingOptions how = {team.size(), -1, false, least_read_part};
  return run_staged(team, context, call, how, [&](const SourceView &seen) {
    seen.for_each_piece([&](const Piece &piece) {
      for (int64_t turn = 0; turn < team.size(); ++turn) {
        int64_t peer = (team.rank() + turn) % team.size();
        seen.fetch(peer, team.rank(), peer, piece);
      }
    });
  });
}

/// The barrier that a program asks for: one of the team, see Team.cpp.
int32_t barrier(Team &team, tutti_context *context, const tutti_call &call) {
  return team.meet(context, signature_of(call, 0));
}

} // namespace tutti::runtime::shm
