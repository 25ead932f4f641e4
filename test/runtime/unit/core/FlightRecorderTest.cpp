// What is told of the last collectives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/FlightRecorder.h"

#include <algorithm>
#include <gmock/gmock.h>

using namespace tutti::runtime;
using testing::HasSubstr;
using testing::MatchesRegex;

namespace {

std::string told(const FlightRecorder &recorder) {
  return recorder.text([](int64_t entry) { return "entry " + std::to_string(entry); });
}

} // namespace

TEST(FlightRecorder, tells_what_has_ended_and_what_has_not) {
  FlightRecorder recorder;
  EXPECT_EQ(told(recorder), "");
  recorder.end(recorder.begin(3, 7, 4096, Stopwatch::ticks()), 0.25);
  recorder.begin(4, 7, 8, Stopwatch::ticks());
  EXPECT_THAT(told(recorder),
              MatchesRegex("[0-9.]+ s ago, step 7, entry 3, 4096 bytes: took 0.250000 s\n"
                           "[0-9.]+ s ago, step 7, entry 4, 8 bytes: has not ended\n"));
}

TEST(FlightRecorder, keeps_the_last_ones) {
  FlightRecorder recorder;
  for (int64_t entry = 0; entry < 1000; ++entry)
    recorder.end(recorder.begin(entry, 0, 1, Stopwatch::ticks()), 0);
  std::string text = told(recorder);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), int64_t(FlightRecorder::capacity));
  EXPECT_THAT(text, HasSubstr(", entry 999, "));
  EXPECT_THAT(text, HasSubstr(", entry 872, "));
  EXPECT_THAT(text, testing::Not(HasSubstr(", entry 871, ")));
}
