// Messages in shared memory: early ones, long ones, and those that do not fit what is expected.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/RankForks.h"
#include "tutti/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

using namespace tutti::runtime;
using testing::HasSubstr;

namespace {

constexpr int64_t small_count = 100, long_count = 100000;

void send(tutti_context *context, int32_t peer, int64_t tag, const std::vector<int64_t> &values) {
  const void *memory = values.data();
  int64_t count = int64_t(values.size());
  tutti_send(context, tag, 0, peer, tag, TUTTI_I64, 1, &memory, &count);
}

std::vector<int64_t> receive(tutti_context *context, int32_t peer, int64_t tag, int64_t count) {
  std::vector<int64_t> values(count);
  void *memory = values.data();
  tutti_recv(context, tag, 0, peer, tag, TUTTI_I64, 1, &memory, &count);
  return values;
}

std::string run(const RankBody &body, int32_t ranks = 2, double stall_error = 60) {
  RankForks forks;
  forks.ranks = ranks;
  forks.stall_error = stall_error;
  return forks.run(body);
}

} // namespace

TEST(Mailbox, keeps_messages_until_they_are_asked_for) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              for (int64_t tag : {1, 2, 3, 1, 2, 3})
                if (rank == 0)
                  send(context, 1, tag, std::vector<int64_t>(small_count, tag));
              for (int64_t tag : {3, 2, 1, 2, 1, 3})
                if (rank == 1 &&
                    receive(context, 0, tag, small_count) != std::vector<int64_t>(small_count, tag))
                  return text("wrong message with tag ", tag);
              return tutti_context_message(context);
            }),
            "");
}

TEST(Mailbox, carries_more_than_fits_into_it) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              for (int64_t turn = 0; turn < 500; ++turn)
                if (rank == 0)
                  send(context, 1, 1, std::vector<int64_t>(turn, turn));
                else if (receive(context, 0, 1, turn) != std::vector<int64_t>(turn, turn))
                  return text("wrong message ", turn);
              return tutti_context_message(context);
            }),
            "");
}

TEST(Mailbox, passes_long_messages_after_early_ones) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              void *shared = nullptr;
              tutti_context_alloc(context, long_count * int64_t(sizeof(int64_t)), &shared);
              int64_t *values = static_cast<int64_t *>(shared);
              const void *source = shared;
              if (rank == 0) {
                std::fill_n(values, long_count, 9);
                send(context, 1, 5, {1, 2, 3});
                tutti_send(context, 0, 0, 1, 6, TUTTI_I64, 1, &source, &long_count);
                send(context, 1, 7, std::vector<int64_t>(long_count, 11)); // private
                return tutti_context_message(context);
              }
              if (receive(context, 0, 6, long_count) != std::vector<int64_t>(long_count, 9))
                return "wrong message from shared memory";
              if (receive(context, 0, 7, long_count) != std::vector<int64_t>(long_count, 11))
                return "wrong message from private memory";
              if (receive(context, 0, 5, 3) != std::vector<int64_t>{1, 2, 3})
                return "wrong early message";
              return tutti_context_message(context);
            }),
            "");
}

TEST(Mailbox, refuses_another_size_with_both_sides_named) {
  std::string complaints = run([](tutti_context *context, int32_t rank) -> std::string {
    if (rank == 0)
      send(context, 1, 4, {1, 2, 3});
    else
      receive(context, 0, 4, 2);
    return tutti_context_message(context);
  });
  EXPECT_THAT(complaints, HasSubstr("rank 0 sends with tag 4 in plan entry 4: send of 3 i64 (24 "
                                    "bytes), rank 1 expects: send of 2 i64 (16 bytes)"));
}

TEST(Mailbox, a_message_that_nobody_sends_is_a_stall) {
  std::string complaints = run(
      [](tutti_context *context, int32_t rank) -> std::string {
        if (rank == 1)
          receive(context, 0, 8, 2);
        else
          tutti_barrier(context, 2, 0);
        return tutti_context_message(context);
      },
      2, 0.3);
  EXPECT_THAT(complaints, HasSubstr("rank 1"));
  EXPECT_THAT(complaints, HasSubstr("waited 0.3 s for rank "));
}
