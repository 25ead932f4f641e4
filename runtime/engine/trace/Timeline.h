// From the ticks of one rank to the time that all ranks share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_TRACE_TIMELINE_H
#define TUTTI_RUNTIME_ENGINE_TRACE_TIMELINE_H

#include <cstdint>

namespace tutti::runtime::trace {

/// The two clocks of a rank, read at once.
struct ClockReading {
  uint64_t ticks;      ///< of Stopwatch
  int64_t nanoseconds; ///< of the machine's CLOCK_MONOTONIC, which its processes share

  /// The closest of a few readings.
  static ClockReading take();
};

/// Time 0 is rank 0's beginning.
struct Timeline {
  ClockReading begin, end; ///< around all ticks to convert, so that the clocks' rates cancel out
  int64_t origin = 0;      ///< nanoseconds of this machine at time 0

  /// Nanoseconds since time 0; never less for more ticks.
  int64_t nanoseconds_of(uint64_t ticks) const;
};

} // namespace tutti::runtime::trace

#endif // TUTTI_RUNTIME_ENGINE_TRACE_TIMELINE_H
