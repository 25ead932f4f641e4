// A histogram with logarithmic classes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/StepTimes.h"

#include <algorithm>
#include <cmath>

namespace tutti::runtime::worker {

static constexpr double shortest = 1e-6, ratio = 1.01;

void StepTimes::record(double seconds) {
  if (steps++ == 0) {
    first_seconds = seconds;
    return;
  }
  double place = std::log(std::max(seconds, shortest) / shortest) / std::log(ratio);
  ++classes[std::min(size_t(place), classes.size() - 1)];
}

double StepTimes::quantile(double part) const {
  int64_t others = steps - 1,
          wanted = std::max<int64_t>(1, int64_t(std::ceil(part * double(others))));
  int64_t seen = 0;
  for (size_t place = 0; place < classes.size(); ++place)
    if (others > 0 && (seen += classes[place]) >= wanted)
      return shortest * std::pow(ratio, double(place) + 0.5);
  return 0;
}

} // namespace tutti::runtime::worker
