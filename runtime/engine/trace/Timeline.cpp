// Reading two clocks, and going from one to the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/trace/Timeline.h"

#include "runtime/support/Stopwatch.h"

#include <cmath>
#include <ctime>

namespace tutti::runtime::trace {

static int64_t monotonic() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

ClockReading ClockReading::take() {
  ClockReading best = {};
  uint64_t smallest = UINT64_MAX;
  constexpr int attempts = 8; // in one of them nobody interrupts
  for (int i = 0; i < attempts; ++i) {
    uint64_t before = Stopwatch::ticks();
    int64_t now = monotonic();
    uint64_t taken = Stopwatch::ticks() - before;
    if (taken >= smallest)
      continue;
    smallest = taken;
    best = {before + taken / 2, now};
  }
  return best;
}

int64_t Timeline::nanoseconds_of(uint64_t ticks) const {
  double passed = double(int64_t(ticks - begin.ticks));
  double all = double(int64_t(end.ticks - begin.ticks));
  double rate = all > 0 ? double(end.nanoseconds - begin.nanoseconds) / all : 0;
  return begin.nanoseconds - origin + std::llround(passed * rate);
}

} // namespace tutti::runtime::trace
