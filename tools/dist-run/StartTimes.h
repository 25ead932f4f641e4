// What a launch does until ranks begin, and when.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_STARTTIMES_H
#define TUTTI_TOOLS_DISTRUN_STARTTIMES_H

#include "runtime/host/run/RunConfig.h"

#include <chrono>
#include <string>
#include <vector>

namespace tutti {

/// Parts that follow one another: each ends where the next one begins.
class StartTimes {
public:
  void begin(std::string name) {
    // The clock of steady_clock is CLOCK_MONOTONIC.
    int64_t now =
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    if (!spans.empty())
      spans.back().end = now;
    spans.push_back({std::move(name), now, 0});
  }

  /// The last one ends when the ranks begin.
  const std::vector<runtime::worker::StartSpan> &all() const { return spans; }

private:
  std::vector<runtime::worker::StartSpan> spans;
};

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_STARTTIMES_H
