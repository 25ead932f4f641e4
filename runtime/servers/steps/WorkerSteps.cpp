// Who is awaited, and what of him is missing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/steps/WorkerSteps.h"

#include <algorithm>
#include <limits>

namespace tutti::runtime::servers {

Error WorkerSteps::check(int64_t worker) const {
  if (has(worker))
    return Error::success();
  return Error::make(TUTTI_INVALID_ARGUMENT, "there is no worker ", worker, " of ", count());
}

bool WorkerSteps::is_awaited(int64_t worker, Due due) const {
  return presence[worker] == Presence::here ||
         (presence[worker] == Presence::away && due == Due::settled);
}

int64_t WorkerSteps::of_slowest(Due due) const {
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (int64_t worker = 0; worker < count(); ++worker)
    if (is_awaited(worker, due))
      fewest = std::min(fewest, pushed[worker]);
  return fewest;
}

int64_t WorkerSteps::of_all() const { return *std::min_element(pushed.begin(), pushed.end()); }

int64_t WorkerSteps::ahead(int64_t worker, int64_t step) const {
  int64_t ahead = 0;
  for (int64_t other = 0; other < count(); ++other)
    if (other != worker && is_awaited(other, Due::in_turn))
      ahead = std::max(ahead, step - pushed[other]);
  return ahead;
}

std::string WorkerSteps::missing(int64_t last, Due due) const {
  constexpr int64_t most_told = 8;
  int64_t late = 0;
  std::string all;
  for (int64_t worker = 0; worker < count(); ++worker) {
    if (!is_awaited(worker, due) || pushed[worker] > last || ++late > most_told)
      continue;
    bool is_one = pushed[worker] == last;
    all += text(all.empty() ? "" : ", ", "the push", is_one ? "" : "es", " of worker ", worker,
                " in step", is_one ? "" : text("s ", pushed[worker], " to"), " ", last);
  }
  return late > most_told ? text(all, " and those of ", late - most_told, " more") : all;
}

} // namespace tutti::runtime::servers
