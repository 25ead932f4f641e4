// A process that is asked to stop, and does not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/StopDeadline.h"
#include "test/runtime/Fork.h"

#include <atomic>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

/// What becomes of a process that is asked by `number`, and takes `rest` microseconds to end.
std::string end_of(int number, useconds_t rest) {
  return finish_fork(start_fork([=]() -> std::string {
    std::atomic<bool> was_asked = false;
    StopDeadline deadline(
        0.2, [number] { return number; },
        [&was_asked] {
          was_asked = true;
          return std::string("it was late");
        });
    usleep(rest);
    return was_asked ? "late" : "in time";
  }));
}

} // namespace

TEST(StopDeadline, ends_who_is_late_by_the_signal) {
  EXPECT_THAT(end_of(SIGTERM, 60'000'000), HasSubstr("15"));
  EXPECT_THAT(end_of(SIGHUP, 60'000'000), HasSubstr("1"));
}

TEST(StopDeadline, leaves_whom_nobody_asked_and_who_is_in_time) {
  EXPECT_EQ(end_of(0, 500'000), "in time");
  EXPECT_EQ(end_of(SIGTERM, 0), "in time");
}
