// Asking again and again how far a checkpoint is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/PartKeeper.h"

#include "runtime/support/Stopwatch.h"

#include <algorithm>
#include <cstdio>

namespace tutti::runtime::servers {

Error await_save(PartKeeper &parts, int64_t step, double warning, double limit) {
  constexpr double seconds_of_call = 2; // a server says sooner that it is still writing
  Stopwatch since;
  int64_t rows = -1;
  for (bool has_warned = false;;) {
    Result<SaveProgress> progress = parts.follow_save(step, std::min(seconds_of_call, limit));
    if (!progress)
      return progress.error();
    if (progress->is_done)
      return Error::success();
    if (progress->rows > rows)
      rows = progress->rows, since = Stopwatch(), has_warned = false;
    std::string what =
        text("the checkpoint of step ", step, ": waited ", int64_t(since.seconds()),
             " s for the part of ", progress->whom, ", of which nothing was written");
    if (since.seconds() >= limit)
      return Error::make(TUTTI_STALLED, what);
    if (since.seconds() >= warning && !has_warned) {
      has_warned = true;
      std::fprintf(stderr, "tutti: warning: %s\n", what.c_str());
    }
  }
}

} // namespace tutti::runtime::servers
