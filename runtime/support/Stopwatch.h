// The time that something takes, measured at the cost of a few nanoseconds: a reading of the
// system's clock takes as long as a small collective.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_STOPWATCH_H
#define TUTTI_RUNTIME_SUPPORT_STOPWATCH_H

#include <cstdint>

namespace tutti::runtime {

/// Starts when it is made.
class Stopwatch {
public:
  Stopwatch() : begin(ticks()) {}
  double seconds() const { return seconds_since(begin); }

  /// Since the clock was read as `begin`.
  static double seconds_since(uint64_t begin) { return double(ticks() - begin) * seconds_per_tick; }

  /// The reading of the clock; of its own unit, equal in all threads of a process.
  static uint64_t ticks() {
#if defined(__x86_64__)
    if (has_own_clock)
      return __builtin_ia32_rdtsc();
#endif
    return system_ticks();
  }

private:
  static uint64_t system_ticks();
  static const bool has_own_clock;
  static const double seconds_per_tick;
  uint64_t begin;
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_STOPWATCH_H
