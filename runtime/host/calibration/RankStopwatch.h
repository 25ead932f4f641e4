// How long something takes that all ranks do together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_CALIBRATION_RANKSTOPWATCH_H
#define TUTTI_RUNTIME_HOST_CALIBRATION_RANKSTOPWATCH_H

#include "runtime/support/Stopwatch.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <ctime>
#include <vector>

namespace tutti::runtime::worker {

/// Calls of calibration are no entries of a plan.
constexpr int64_t no_plan_entry = -1;

/// The largest of all ranks' values.
inline double largest(tutti_context *context, double value) {
  const void *source = &value;
  double result = value;
  void *destination = &result;
  int64_t one = 1;
  tutti_all_reduce(context, no_plan_entry, TUTTI_GROUP_WORLD, TUTTI_MAX, TUTTI_F64, 1, &source,
                   &destination, &one);
  return result;
}

/// Processor seconds of this process, all threads.
inline double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

/// Seconds of one `run`: the median of many on the slowest rank. All ranks run equally often, for
/// about `budget` seconds.
template <typename Run> double time_together(tutti_context *context, double budget, Run run) {
  constexpr double most_runs = 2000;
  run(); // connections, pages and caches
  Stopwatch first;
  run();
  double once = std::max(1e-7, largest(context, first.seconds()));
  std::vector<double> times(size_t(std::clamp(budget / once, 3.0, most_runs)));
  tutti_barrier(context, no_plan_entry, TUTTI_GROUP_WORLD);
  for (double &seconds : times) {
    Stopwatch watch;
    run();
    seconds = watch.seconds();
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return largest(context, times[times.size() / 2]);
}

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_CALIBRATION_RANKSTOPWATCH_H
