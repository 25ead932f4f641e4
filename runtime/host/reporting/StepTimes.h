// How long steps take: the first, which prepares kernels, apart from all others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_REPORTING_STEPTIMES_H
#define TUTTI_RUNTIME_HOST_REPORTING_STEPTIMES_H

#include <array>
#include <cstdint>

namespace tutti::runtime::worker {

/// Counts steps by their time, in classes that are 1 % wide, so that its size does not depend on
/// how many there are.
class StepTimes {
public:
  /// The times of the steps in their order.
  void record(double seconds);
  double first() const { return first_seconds; }
  /// Of all steps but the first, so many take no longer: 0.5 is the median. 0 if there are none.
  double quantile(double part) const;

private:
  std::array<int64_t, 2600> classes = {}; ///< from a microsecond to more than a day
  int64_t steps = 0;
  double first_seconds = 0;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_REPORTING_STEPTIMES_H
