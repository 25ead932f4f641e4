// Which lines a run shows, and what goes first where there is little room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/Progress.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

using namespace tutti::runtime::worker;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

/// A terminal whose width changes, or none (0), that keeps what is printed.
struct Screen {
  std::vector<std::string> printed;
  int columns = 0;

  ProgressScreen get() {
    return {[this](const std::string &text) { printed.push_back(text); },
            [this] { return columns; }};
  }
};

constexpr char start_of_line[] = "\r\033[K";

/// Step 50 of 100 after 5 s, where the terminal has `columns`.
std::string line_at(int columns) {
  Screen screen;
  screen.columns = columns;
  Progress progress("line", screen.get(), 100, 4, 32);
  progress.show({50, 2, 0.25, 5});
  return screen.printed.at(0).substr(sizeof start_of_line - 1);
}

} // namespace

TEST(ProgressLine, drops_what_matters_least_first) {
  EXPECT_EQ(line_at(200), "epoch 2/4  step 50/100  loss 0.25  320 samples/s  ETA 0:05");
  EXPECT_EQ(line_at(59), "epoch 2/4  step 50/100  loss 0.25  320 samples/s  ETA 0:05");
  EXPECT_EQ(line_at(58), "step 50/100  loss 0.25  320 samples/s  ETA 0:05");
  EXPECT_EQ(line_at(47), "step 50/100  loss 0.25  ETA 0:05");
  EXPECT_EQ(line_at(32), "step 50/100  loss 0.25");
  EXPECT_EQ(line_at(22), "step 50/100");
  EXPECT_EQ(line_at(8), "step 50") << "the last part is cut";
}

TEST(ProgressLog, has_a_nan_without_a_sign) {
  Screen screen;
  Progress progress("log", screen.get(), 1, 1, 1);
  progress.show({1, 1, std::copysign(std::nan(""), -1.0), 5});
  EXPECT_THAT(screen.printed, ElementsAre(HasSubstr("loss nan")));
}

TEST(ProgressLog, has_a_line_every_so_many_steps) {
  Screen screen;
  Progress progress("log", screen.get(), 25, 1, 1);
  progress.log_every(10);
  for (int64_t step = 1; step <= 25; ++step)
    progress.show({step, 1, 0.5, double(step * 100)});
  EXPECT_THAT(screen.printed, ElementsAre(HasSubstr("step 10/25"), HasSubstr("step 20/25"),
                                          HasSubstr("step 25/25")));
}

TEST(ProgressLog, counts_no_steps_of_earlier_launches) {
  Screen screen;
  Progress progress("log", screen.get(), 100, 1, 1);
  progress.begin_after(50);
  progress.show({51, 1, 0.5, 0.5});
  ASSERT_EQ(screen.printed.size(), 1u);
  EXPECT_THAT(screen.printed[0], HasSubstr("  2 samples/s  ETA 0:25"));
}

TEST(ProgressLine, follows_a_window_that_changes) {
  Screen screen;
  screen.columns = 200;
  Progress progress("line", screen.get(), 100, 1, 1);
  progress.show({1, 1, 0.5, 1});
  screen.columns = 20;
  progress.show({2, 1, 0.5, 2});
  ASSERT_EQ(screen.printed.size(), 2u);
  EXPECT_THAT(screen.printed[0], HasSubstr("samples/s"));
  EXPECT_EQ(screen.printed[1], std::string(start_of_line) + "step 2/100");
}

TEST(ProgressLine, changes_ten_times_a_second_at_most) {
  Screen screen;
  Progress progress("line", screen.get(), 1000, 1, 1);
  for (int64_t step = 1; step < 1000; ++step)
    progress.show({step, 1, {}, double(step) * 0.001});
  EXPECT_GE(screen.printed.size(), 9u);
  EXPECT_LE(screen.printed.size(), 11u);
}

TEST(ProgressLog, has_a_line_a_second_and_one_for_each_tenth) {
  Screen slow;
  Progress by_second("log", slow.get(), 20, 1, 1);
  for (int64_t step = 1; step <= 20; ++step)
    by_second.show({step, 1, {}, double(step) * 1.5});
  EXPECT_EQ(slow.printed.size(), 20u);

  Screen fast;
  Progress by_tenth("log", fast.get(), 1000, 1, 1);
  for (int64_t step = 1; step <= 1000; ++step)
    by_tenth.show({step, 1, {}, double(step) * 1e-6});
  EXPECT_EQ(fast.printed.size(), 11u) << "the first, and each tenth; the last is one";
}

TEST(ProgressLog, shows_the_last_step_in_any_case) {
  Screen screen;
  Progress progress("log", screen.get(), 3, 1, 10);
  progress.show({1, 1, 0.5, 1});
  progress.show({3, 1, 0.125, 1.5});
  ASSERT_EQ(screen.printed.size(), 2u);
  EXPECT_EQ(screen.printed[1], "epoch 1/1  step 3/3  loss 0.125  40 samples/s\n")
      << "without a time that is left";
}

TEST(ProgressLog, has_no_loss_where_the_step_has_none) {
  Screen screen;
  Progress progress("log", screen.get(), 2, 1, 1);
  progress.show({2, 1, {}, 1});
  EXPECT_THAT(screen.printed, ElementsAre(Not(HasSubstr("loss"))));
}

TEST(ProgressEnd, closes_an_open_line_once) {
  Screen screen;
  Progress progress("line", screen.get(), 2, 1, 1);
  progress.finish();
  EXPECT_TRUE(screen.printed.empty()) << "there is no line yet";
  progress.show({1, 1, {}, 1});
  progress.finish();
  progress.finish();
  ASSERT_EQ(screen.printed.size(), 2u);
  EXPECT_EQ(screen.printed[1], "\n");
}

TEST(Durations, are_rounded_to_seconds_at_every_limit) {
  EXPECT_EQ(duration_text(0), "0:00");
  EXPECT_EQ(duration_text(59.4), "0:59");
  EXPECT_EQ(duration_text(59.6), "1:00");
  EXPECT_EQ(duration_text(3599.6), "1:00:00");
  EXPECT_EQ(duration_text(86399), "23:59:59");
  EXPECT_EQ(duration_text(86400), "1 d 00:00:00");
  EXPECT_EQ(duration_text(1e9 - 1), "11574 d 01:46:39");
  EXPECT_EQ(duration_text(1e9), "years");
  EXPECT_EQ(duration_text(0.0 / 0.0), "years");
}
