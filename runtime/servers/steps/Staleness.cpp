// Counting the age of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/steps/Staleness.h"

#include <algorithm>

namespace tutti::runtime::servers {

void Staleness::pull(int64_t worker, int64_t step, int64_t of_others, int64_t ahead) {
  if (worker < 0 || worker >= int64_t(pulled.size()))
    return;
  constexpr size_t most_open = 64; // steps of which pulls came and no push, as at an evaluation
  std::map<int64_t, int64_t> &steps = pulled[worker];
  if (!steps.try_emplace(step, of_others).second)
    return;
  if (steps.size() > most_open)
    steps.erase(steps.begin());
  constexpr int64_t most_counted = INT32_MAX; // a pull may name any step
  ahead = std::min(ahead, most_counted);
  ++all.pulled_steps;
  all.ahead_sum += ahead;
  all.ahead_max = std::max(all.ahead_max, ahead);
}

void Staleness::push(int64_t worker, int64_t step, int64_t of_others) {
  std::map<int64_t, int64_t> &steps = pulled[worker];
  auto found = steps.find(step);
  if (found != steps.end()) {
    int64_t stale = of_others - found->second;
    ++all.pushes;
    all.sum += stale;
    all.max = std::max(all.max, stale);
    size_t place = 0; // 0, 1, 2 to 3, 4 to 7, ...
    for (int64_t rest = stale; rest > 0 && place + 1 < StalenessStatistics::classes; rest /= 2)
      ++place;
    ++all.histogram[place];
  }
  steps.erase(steps.begin(), steps.upper_bound(step));
}

} // namespace tutti::runtime::servers
