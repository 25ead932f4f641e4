// Times of steps without keeping them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/StepTimes.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using tutti::runtime::worker::StepTimes;

namespace {

/// The exact value of what StepTimes estimates.
double exact_quantile(std::vector<double> times, double part) {
  std::sort(times.begin(), times.end());
  size_t wanted = std::max<size_t>(1, size_t(std::ceil(part * double(times.size()))));
  return times[wanted - 1];
}

StepTimes recorded(const std::vector<double> &others) {
  StepTimes times;
  times.record(3600); // the first, which must not matter
  for (double seconds : others)
    times.record(seconds);
  return times;
}

} // namespace

TEST(StepTimes, are_within_a_hundredth_of_what_sorting_gives) {
  // From microseconds to hours, unevenly.
  std::vector<double> times;
  for (int i = 0; i < 997; ++i)
    times.push_back(2e-6 * std::pow(10, (i * 7919 % 997) / 997.0 * 9));
  StepTimes estimate = recorded(times);
  for (double part : {0.001, 0.01, 0.25, 0.5, 0.75, 0.95, 0.999, 1.0}) {
    double exact = exact_quantile(times, part);
    EXPECT_NEAR(estimate.quantile(part), exact, 0.01 * exact) << part;
  }
}

TEST(StepTimes, never_fall_as_the_part_grows) {
  StepTimes times = recorded({0.5, 0.001, 2, 0.03, 0.03, 7});
  double before = 0;
  for (int percent = 1; percent <= 100; ++percent) {
    double now = times.quantile(percent / 100.0);
    EXPECT_GE(now, before) << percent;
    before = now;
  }
}

TEST(StepTimes, of_one_other_step_are_all_its_time) {
  StepTimes times = recorded({0.25});
  for (double part : {0.0, 0.01, 0.5, 1.0})
    EXPECT_NEAR(times.quantile(part), 0.25, 0.0025) << part;
}

TEST(StepTimes, count_the_slow_tail_whole) {
  std::vector<double> times(94, 0.01);
  times.insert(times.end(), 6, 1.0);
  StepTimes estimate = recorded(times);
  EXPECT_NEAR(estimate.quantile(0.94), 0.01, 0.0001);
  EXPECT_NEAR(estimate.quantile(0.95), 1, 0.01);
}

TEST(StepTimes, take_what_no_clock_should_give) {
  StepTimes times = recorded({0, -1, 1e-12, 1e300});
  EXPECT_NEAR(times.quantile(0.5), 1e-6, 1e-8) << "nothing is shorter than a microsecond";
  EXPECT_GT(times.quantile(1), 86400) << "and nothing longer than the last class, above a day";
  EXPECT_LT(times.quantile(1), 1e7);
}
