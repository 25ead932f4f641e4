// Jobs beside their owner.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/BackgroundJob.h"

#include <atomic>
#include <csignal>
#include <future>
#include <gtest/gtest.h>
#include <sched.h>

using tutti::runtime::BackgroundJob;

TEST(BackgroundJob, is_waited_for_as_long_as_one_likes) {
  BackgroundJob beside;
  EXPECT_TRUE(beside.wait_for(0)) << "there is no job";
  std::promise<void> may_end;
  std::atomic<bool> has_ended = false;
  beside.start([&] {
    may_end.get_future().wait();
    has_ended = true;
  });
  EXPECT_FALSE(beside.wait_for(0.01));
  may_end.set_value();
  EXPECT_TRUE(beside.wait_for(60));
  EXPECT_TRUE(has_ended);
  EXPECT_TRUE(beside.wait_for(0));
  beside.start([] {});
  beside.wait();
  EXPECT_TRUE(beside.wait_for(0));
}

TEST(BackgroundJob, runs_all_jobs_on_one_thread) {
  BackgroundJob beside;
  std::thread::id first, own = std::this_thread::get_id();
  int done = 0; // what a job wrote is there after `wait`
  for (int i = 0; i < 1000; ++i) {
    beside.start([&] {
      std::thread::id now = std::this_thread::get_id();
      first = done == 0 ? now : first;
      done += now == first && now != own;
    });
    beside.wait();
  }
  EXPECT_EQ(done, 1000);
}

TEST(BackgroundJob, leaves_the_processor_of_its_owner_to_it) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2)
    GTEST_SKIP() << "there is one processor";
  BackgroundJob beside;
  for (int i = 0; i < 100; ++i) {
    int own = sched_getcpu();
    cpu_set_t used;
    beside.start_beside([&] { sched_getaffinity(0, sizeof used, &used); });
    bool has_stayed = own == sched_getcpu(); // else it may have been moved before it was asked
    beside.wait();
    EXPECT_EQ(CPU_COUNT(&used), CPU_COUNT(&all) - 1);
    EXPECT_FALSE(has_stayed && CPU_ISSET(own, &used));
  }
}

TEST(BackgroundJob, handles_no_signals) {
  BackgroundJob beside;
  sigset_t held;
  beside.start([&] { pthread_sigmask(SIG_BLOCK, nullptr, &held); });
  beside.wait();
  EXPECT_TRUE(sigismember(&held, SIGTERM));
  EXPECT_FALSE(sigismember(&held, SIGBUS)) << "a fault of the thread ends the process";
}

TEST(BackgroundJob, ends_with_its_owner) {
  std::atomic<bool> has_ended = false;
  {
    BackgroundJob beside;
    beside.start([&] { has_ended = true; });
  }
  EXPECT_TRUE(has_ended);
}
