// Counting attempts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/Restarts.h"

#include "runtime/support/Error.h"

#include <algorithm>

namespace tutti::runtime::worker {

Restarts::Decision Restarts::after(const Failure &failure, int64_t reached) {
  constexpr int64_t most_equal = 3, most_seconds = 60, most_doublings = 6;
  if (reached > farthest)
    farthest = reached, count = 0;
  bool is_same = equal > 0 && failure.what == last.what && failure.step == last.step;
  equal = is_same ? equal + 1 : 1;
  last = failure;
  Decision decision;
  if (most > 0 && equal >= most_equal)
    decision.why_not = text("; it was the same in step ", failure.step, " for ", equal,
                            " times, and is not tried again");
  else if (count >= most)
    decision.why_not = most > 0 ? text(", after ", most, " restarts") : "";
  decision.goes_on = most > 0 && decision.why_not.empty();
  if (!decision.goes_on)
    return decision;
  decision.seconds = std::min(most_seconds, int64_t(1) << std::min(count, most_doublings));
  decision.number = ++count;
  return decision;
}

} // namespace tutti::runtime::worker
