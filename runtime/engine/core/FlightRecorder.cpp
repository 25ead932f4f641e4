// The last collectives as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/FlightRecorder.h"

#include <algorithm>
#include <cstdio>

namespace tutti::runtime {

std::string
FlightRecorder::text(const std::function<std::string(int64_t plan_entry)> &describe) const {
  size_t made = count.load(std::memory_order_relaxed);
  std::string lines;
  for (size_t number = made - std::min(made, capacity); number < made; ++number) {
    const Entry &entry = entries[number % capacity];
    double seconds = entry.seconds;
    char times[96];
    if (seconds < 0)
      std::snprintf(times, sizeof times, "has not ended");
    else
      std::snprintf(times, sizeof times, "took %.6f s", seconds);
    char begin[96];
    std::snprintf(begin, sizeof begin, "%.6f s ago, step %lld, ",
                  Stopwatch::seconds_since(entry.ticks), static_cast<long long>(entry.step));
    lines += begin + describe(entry.plan_entry) + ", " + std::to_string(entry.bytes.load()) +
             " bytes: " + times + "\n";
  }
  return lines;
}

} // namespace tutti::runtime
