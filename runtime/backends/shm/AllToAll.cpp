// All-to-all in shared memory: everyone copies its part of every source from where it lies, each
// beginning with its own, so that no two read from one member at once.
// Steps and traffic: as Exposure.h says, with N * N * S copied, each member its own result.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Exposure.h"

namespace tutti::runtime::shm {

int32_t all_to_all(Team &team, tutti_context *context, const tutti_call &call) {
  Exposing how = {team.size(), -1, false};
  return expose(team, context, call, how, [&](const Exposure &seen) {
    seen.for_each_piece([&](const Piece &piece) {
      for (int64_t turn = 0; turn < team.size(); ++turn) {
        int64_t peer = (team.rank() + turn) % team.size();
        seen.fetch(peer, team.rank(), peer, piece);
      }
    });
  });
}

} // namespace tutti::runtime::shm
