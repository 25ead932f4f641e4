// Weighted least squares for a line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/calibration/LinearFit.h"

#include <algorithm>

namespace tutti::runtime::worker {

LinearFit fit_line(const std::vector<TimedSize> &samples) {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const TimedSize &sample : samples) {
    double weight = 1 / (sample.seconds * sample.seconds);
    w += weight;
    x += weight * sample.size;
    y += weight * sample.seconds;
    xx += weight * sample.size * sample.size;
    xy += weight * sample.size * sample.seconds;
  }
  LinearFit fit;
  fit.per_unit = (w * xy - x * y) / (w * xx - x * x);
  if (fit.per_unit <= 0)
    return {y / w, 0};
  fit.fixed = (y - fit.per_unit * x) / w;
  return fit.fixed >= 0 ? fit : LinearFit{0, xy / xx};
}

double fit_rest(const std::vector<RestOfTime> &samples) {
  double xx = 0, xy = 0;
  for (const RestOfTime &sample : samples) {
    double x = sample.size / sample.seconds;
    xx += x * x;
    xy += x * (1 - sample.explained / sample.seconds);
  }
  return std::max(0.0, xy / xx);
}

} // namespace tutti::runtime::worker
