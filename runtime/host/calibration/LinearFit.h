// Fixed and proportional cost from measured times.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_CALIBRATION_LINEARFIT_H
#define TUTTI_RUNTIME_HOST_CALIBRATION_LINEARFIT_H

#include <vector>

namespace tutti::runtime::worker {

struct TimedSize {
  double size, seconds;
};

/// seconds = fixed + per_unit * size.
struct LinearFit {
  double fixed = 0, per_unit = 0;
};

/// Least squares of relative errors, so that small sizes count as much as large ones. Neither cost
/// is negative; `samples` has two different sizes at least.
LinearFit fit_line(const std::vector<TimedSize> &samples);

/// A time of which a part is explained by something else than the size.
struct RestOfTime {
  double size, seconds, explained;
};

/// The cost of a unit of size in what is not explained, by least squares of errors relative to the
/// whole times; not negative.
double fit_rest(const std::vector<RestOfTime> &samples);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_CALIBRATION_LINEARFIT_H
