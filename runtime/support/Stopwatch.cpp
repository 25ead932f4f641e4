// The processor's own clock, where it ticks evenly whatever the processor does; else the system's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Stopwatch.h"

#include <algorithm>
#include <chrono>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tutti::runtime {
namespace {

using Clock = std::chrono::steady_clock;

#if defined(__x86_64__)
bool ticks_evenly() {
  constexpr unsigned power_management = 0x80000007, invariant = 1u << 8;
  unsigned a, b, c, d;
  return __get_cpuid(power_management, &a, &b, &c, &d) && (d & invariant);
}

double measure_tick_once() {
  constexpr std::chrono::microseconds enough(100); // for three digits
  Clock::time_point begin = Clock::now();
  uint64_t first = __builtin_ia32_rdtsc();
  Clock::duration taken;
  do
    taken = Clock::now() - begin;
  while (taken < enough);
  return std::chrono::duration<double>(taken).count() / double(__builtin_ia32_rdtsc() - first);
}

double measure_tick(bool has_own_clock) {
  if (!has_own_clock)
    return std::chrono::duration<double>(Clock::duration(1)).count();
  // The middle of three: in one of them this thread may have lost its processor.
  double a = measure_tick_once(), b = measure_tick_once(), c = measure_tick_once();
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
#else
bool ticks_evenly() { return false; }
double measure_tick(bool) { return std::chrono::duration<double>(Clock::duration(1)).count(); }
#endif

} // namespace

const bool Stopwatch::has_own_clock = ticks_evenly();
const double Stopwatch::seconds_per_tick = measure_tick(has_own_clock);

uint64_t Stopwatch::system_ticks() { return uint64_t(Clock::now().time_since_epoch().count()); }

} // namespace tutti::runtime
