// All-gather in shared memory: everyone copies every source from where it lies.
// Steps and traffic: as Exposure.h says, with N * N * S copied, each member its own result.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Exposure.h"

namespace tutti::runtime::shm {

int32_t all_gather(Team &team, tutti_context *context, const tutti_call &call) {
  Exposing how = {1, -1, true};
  return expose(team, context, call, how, [&](const Exposure &seen) {
    seen.for_each_piece([&](const Piece &piece) {
      for (int64_t peer = 0; peer < team.size(); ++peer)
        seen.fetch(peer, 0, peer, piece);
    });
  });
}

} // namespace tutti::runtime::shm
