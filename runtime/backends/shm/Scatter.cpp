// Scatter in shared memory: everyone copies its part from where the root's buffer lies.
// Steps and traffic: as Exposure.h says, with N * S copied, each member its own part.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Exposure.h"

namespace tutti::runtime::shm {

int32_t scatter(Team &team, tutti_context *context, const tutti_call &call) {
  Exposing how = {team.size(), call.peer, false};
  return expose(team, context, call, how, [&](const Exposure &seen) {
    seen.for_each_piece([&](const Piece &piece) { seen.fetch(call.peer, team.rank(), 0, piece); });
  });
}

} // namespace tutti::runtime::shm
