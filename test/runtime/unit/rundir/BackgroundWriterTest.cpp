// Waiting for a job beside training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rundir/BackgroundWriter.h"

#include <atomic>
#include <future>
#include <gtest/gtest.h>

using tutti::runtime::rundir::BackgroundWriter;

TEST(BackgroundWriter, is_waited_for_as_long_as_one_likes) {
  BackgroundWriter writer;
  EXPECT_TRUE(writer.wait_for(0)) << "there is no job";
  std::promise<void> may_end;
  std::atomic<bool> has_ended = false;
  writer.start([&] {
    may_end.get_future().wait();
    has_ended = true;
  });
  EXPECT_FALSE(writer.wait_for(0.01));
  may_end.set_value();
  EXPECT_TRUE(writer.wait_for(60));
  EXPECT_TRUE(has_ended);
  EXPECT_TRUE(writer.wait_for(0));
  writer.start([] {});
  writer.wait();
  EXPECT_TRUE(writer.wait_for(0));
}
