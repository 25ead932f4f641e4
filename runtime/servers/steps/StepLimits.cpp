// Limits of pushes, and what is missing until they are reached.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/steps/StepLimits.h"

#include <cstdio>

namespace tutti::runtime::servers {

Error StepLimits::set(const std::vector<int64_t> &steps) {
  is_held = false;
  for (int64_t worker = 0; worker < workers.count(); ++worker)
    if (int64_t(steps.size()) != workers.count() || workers.pushed[worker] > steps[worker])
      return Error::make(TUTTI_INVALID_ARGUMENT, "table '", table,
                         "' is to be saved before a push of worker ", worker,
                         " that it has taken already");
  limits = steps;
  return Error::success();
}

void StepLimits::clear() {
  is_held = false;
  limits.clear();
}

bool StepLimits::are_reached() const {
  for (size_t worker = 0; worker < limits.size(); ++worker)
    if (lacks(int64_t(worker)))
      return false;
  return !is_held;
}

std::string StepLimits::missing() const {
  std::string all;
  for (size_t worker = 0; worker < limits.size(); ++worker)
    if (lacks(int64_t(worker)))
      all += text(all.empty() ? "" : ", ", "worker ", worker, " has made ", workers.pushed[worker],
                  " of ", limits[worker], " pushes");
  return all;
}

void StepLimits::warn_of_lost_pushes() {
  for (size_t worker = 0; worker < limits.size() && !has_warned; ++worker) {
    if (workers.pushed[worker] >= limits[worker])
      continue;
    has_warned = true;
    std::fprintf(stderr,
                 "dist-run: warning: table '%s' is saved without the pushes of worker %d in steps "
                 "%lld to %lld: it did not come back\n",
                 table.c_str(), int(worker), static_cast<long long>(workers.pushed[worker]),
                 static_cast<long long>(limits[worker] - 1));
  }
}

} // namespace tutti::runtime::servers
