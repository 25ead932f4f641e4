// Waits that take too long: who is named, who speaks, and when they end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/plugin/StallWatch.h"
#include "runtime/engine/backends/plugin/Settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

using namespace tutti::runtime::plugin;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

namespace {

/// Notes of four ranks, of which the test is rank 1.
class Board : public NoteBoard {
public:
  void post(const Note &note) override {
    shown[1] = note;
    ++posts;
  }
  std::vector<Note> notes() override { return shown; }

  std::vector<Note> shown = std::vector<Note>(4);
  int posts = 0;
};

class StallWatchTest : public testing::Test {
protected:
  Place place() {
    return {[] { return std::string("rank 1, here"); },
            &members,
            5,
            /*plan_entry=*/3,
            /*step=*/7,
            1};
  }
  Note waiting(int64_t plan_entry) {
    Note note;
    note.group = 5;
    note.plan_entry = plan_entry;
    note.step = 7;
    note.set_text("at entry " + std::to_string(plan_entry));
    return note;
  }
  /// Checks until the wait ends; returns what was said on the way.
  std::string run(tutti_limits limits, const std::vector<int32_t> &pending) {
    testing::internal::CaptureStderr();
    StallWatch watch(place(), limits, board);
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      status = watch.check(pending);
    } while (status == TUTTI_OK && watch.seconds() < 5);
    message = watch.message();
    return testing::internal::GetCapturedStderr();
  }

  std::vector<int32_t> members = {0, 1, 2, 3};
  Board board;
  int32_t status = TUTTI_OK;
  std::string message;
};

} // namespace

TEST_F(StallWatchTest, the_limit_ends_the_wait_and_names_who_is_missing) {
  board.shown[3] = waiting(3);
  std::string said = run({0.05, 2, 1}, {2, 3});
  EXPECT_EQ(status, TUTTI_STALLED);
  EXPECT_THAT(
      message,
      MatchesRegex("rank 1, here: waited .* s for rank 2; arrived: rank 1, rank 3\\. Raise .*"));
  EXPECT_THAT(said, HasSubstr("tutti: warning: rank 1, here: waited "));
}

TEST_F(StallWatchTest, the_first_of_those_who_wait_speaks) {
  board.shown[0] = waiting(3);
  EXPECT_THAT(run({0.05, 2, 1}, {2}), IsEmpty());
}

TEST_F(StallWatchTest, a_rank_that_waits_elsewhere_is_shown_with_its_place) {
  board.shown[2] = waiting(4);
  run({0.05, 0.1, 1}, {2});
  EXPECT_THAT(message, HasSubstr("for rank 2 (which waits elsewhere: at entry 4)"));
}

TEST_F(StallWatchTest, if_those_needed_wait_too_the_one_without_a_sign_is_named) {
  board.shown[0] = board.shown[3] = waiting(3);
  run({0.05, 0.1, 1}, {3});
  EXPECT_THAT(message, HasSubstr("for rank 2; arrived: rank 1, rank 0, rank 3"));
  board.shown[2] = waiting(3);
  run({0.05, 0.1, 1}, {3});
  EXPECT_THAT(message, HasSubstr("for rank 3 (which waits as well)"));
}

TEST_F(StallWatchTest, a_failure_of_a_peer_ends_the_wait_at_once_with_its_cause) {
  board.shown[0].status = TUTTI_PEER_FAILED;
  board.shown[0].set_text("rank 2 failed: sand; stopped rank 0");
  run({10, 10, 1}, {});
  EXPECT_THAT(message, HasSubstr("rank 2 failed: sand; stopped rank 0; stopped rank 1, here"));
  board.shown[2].status = TUTTI_BAD_DATA;
  board.shown[2].set_text("sand");
  run({10, 10, 1}, {});
  EXPECT_EQ(status, TUTTI_PEER_FAILED);
  EXPECT_EQ(message, "rank 2 failed: sand; stopped rank 1, here");
}

TEST_F(StallWatchTest, only_a_wait_that_was_announced_is_called_off) {
  { StallWatch(place(), {10, 10, 1}, board).check({}); }
  EXPECT_EQ(board.posts, 0);
  {
    StallWatch watch(place(), {0.001, 10, 1}, board);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    watch.check({});
    EXPECT_EQ(board.shown[1].group, 5);
  }
  EXPECT_EQ(board.posts, 2);
  EXPECT_EQ(board.shown[1].group, 0);
}

TEST(Note, a_long_text_is_cut) {
  Note note;
  note.set_text(std::string(5000, 'a'));
  EXPECT_EQ(std::string(note.text), std::string(sizeof note.text - 1, 'a'));
}

TEST(Identity, depends_on_members_their_order_and_the_occurrence) {
  const int32_t a[] = {0, 1}, b[] = {1, 0};
  EXPECT_EQ(identity({0, 2, a, 0}), identity({1, 2, a, 0}));
  EXPECT_NE(identity({0, 2, a, 0}), identity({0, 2, b, 0}));
  EXPECT_NE(identity({0, 2, a, 0}), identity({0, 2, a, 1}));
  EXPECT_NE(identity({0, 1, a, 0}), 0);
}

TEST(Settings, are_read_and_refused) {
  auto good = Settings::parse("x", "store=file:/a=b;prefix=run", {"store", "prefix"});
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(good->get("store"), "file:/a=b");
  EXPECT_EQ(good->get("absent"), "");
  EXPECT_EQ(good->get("prefix"), "run");
  EXPECT_TRUE(Settings::parse("x", "", {}));
  for (const char *text : {"colour=red", "store", "=", "store=a;colour=red"}) {
    auto bad = Settings::parse("x", text, {"store"});
    ASSERT_FALSE(bad) << text;
    EXPECT_THAT(bad.error().message, HasSubstr("is not a setting of backend 'x' (store)"));
  }
  EXPECT_THAT(Settings::parse("x", "store=a", {}).error().message,
              HasSubstr("'store=a' is not a setting of backend 'x' (it has none)"));
}
