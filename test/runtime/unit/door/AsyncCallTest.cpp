// Futures: what they keep of a call, in which order they run, and how they end after an error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/RankThreads.h"
#include "tutti/collectives.h"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::HasSubstr;
using tutti::runtime::text;

namespace {

void sum(tutti_context *context, int64_t group, float *values, int64_t elements) {
  void *memory = values;
  tutti_all_reduce(context, 0, group, TUTTI_SUM, TUTTI_F32, 1, &memory, &memory, &elements);
}

class Future : public testing::TestWithParam<int32_t> {
protected:
  template <typename Body> void expect(Body body) const {
    RankThreads threads{GetParam()};
    EXPECT_EQ(threads.run([&](tutti_context *context, int32_t rank) {
      std::string wrong = body(context, rank);
      return wrong.empty() ? tutti_context_message(context) : wrong;
    }),
              threads.content());
  }
};

INSTANTIATE_TEST_SUITE_P(Ranks, Future, testing::Values(1, 2, 3));

} // namespace

TEST_P(Future, keeps_the_arrays_of_its_calls) {
  std::atomic<int32_t> changed{0}; // ranks whose arrays have others' contents by now
  expect([&](tutti_context *context, int32_t rank) -> std::string {
    int32_t ranks = tutti_context_size(context);
    while (rank > 0 && changed < rank) // the calls of rank 0 cannot begin before the last comes
      std::this_thread::yield();
    float values[3] = {1, 2, float(rank)};
    std::vector<int64_t> counts(ranks, 1), at(ranks), rows(ranks), back(ranks, -1);
    for (int32_t peer = 0; peer < ranks; ++peer)
      at[peer] = peer, rows[peer] = 10 * rank + peer;
    {
      void *memory[] = {values, values + 1};
      int64_t elements[] = {1, 2};
      tutti_async_begin(context, 0);
      tutti_barrier(context, 0, 0);
      tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_F32, 2, memory, memory, elements);
      tutti_all_to_all_v(context, 0, 0, TUTTI_I64, 1, rows.data(), ranks, back.data(), ranks,
                         counts.data(), at.data(), counts.data(), at.data());
      tutti_async_end(context);
      memory[0] = memory[1] = nullptr; // the arrays are the caller's again; the buffers are not
      elements[0] = elements[1] = -1;
      std::fill(counts.begin(), counts.end(), -1);
      std::fill(at.begin(), at.end(), -1);
      ++changed;
    }
    tutti_await(context, 0);
    for (int32_t peer = 0; peer < ranks; ++peer)
      if (back[peer] != 10 * peer + rank)
        return text("row ", back[peer], " of rank ", peer);
    bool is_sum =
        values[0] == ranks && values[1] == 2 * ranks && values[2] == float(ranks * (ranks - 1) / 2);
    return is_sum ? "" : text("sums ", values[0], " ", values[1], " ", values[2]);
  });
}

TEST_P(Future, runs_in_the_order_of_issue) {
  expect([](tutti_context *context, int32_t) -> std::string {
    std::vector<float> values(1000, 1);
    for (int64_t future = 0; future < 5; ++future) {
      tutti_async_begin(context, future);
      sum(context, 0, values.data(), 1000); // each on what the one before gave
      tutti_async_end(context);
    }
    tutti_await(context, 4);
    float wanted = 1;
    for (int64_t turn = 0; turn < 5; ++turn)
      wanted *= float(tutti_context_size(context));
    if (values.front() != wanted || values.back() != wanted)
      return text(values.front(), " after the last, not ", wanted);
    for (int64_t future : {2, 0, 3, 1})
      tutti_await(context, future);
    return "";
  });
}

TEST_P(Future, may_be_empty_and_used_again) {
  expect([](tutti_context *context, int32_t) -> std::string {
    float value = 1;
    for (int64_t turn = 0; turn < 3; ++turn) {
      tutti_async_begin(context, 7);
      if (turn == 1)
        sum(context, 0, &value, 1);
      tutti_async_end(context);
      tutti_await(context, 7);
    }
    return value == float(tutti_context_size(context)) ? "" : text("it is ", value);
  });
}

TEST_P(Future, is_counted_with_what_the_caller_does) {
  expect([](tutti_context *context, int32_t) -> std::string {
    float value = 1;
    double other[2] = {};
    tutti_async_begin(context, 0);
    sum(context, 0, &value, 1);
    tutti_async_end(context);
    void *memory = other;
    int64_t two = 2;
    tutti_await(context, 0);
    tutti_all_reduce(context, 0, 0, TUTTI_MAX, TUTTI_F64, 1, &memory, &memory, &two);
    tutti_counters counters = {};
    tutti_context_counters(context, &counters);
    return counters.collectives == 2 && counters.bytes == 4 + 16
               ? ""
               : text(counters.collectives, " calls, ", counters.bytes, " bytes");
  });
}

TEST_P(Future, is_finished_before_its_group_ends) {
  expect([](tutti_context *context, int32_t) -> std::string {
    int32_t ranks = tutti_context_size(context);
    std::vector<int64_t> everyone(ranks);
    for (int32_t rank = 0; rank < ranks; ++rank)
      everyone[rank] = rank;
    for (int64_t turn = 0; turn < 10; ++turn) {
      std::vector<float> values(5000, 1);
      tutti_create_group(context, 0, 3, ranks, everyone.data());
      tutti_async_begin(context, turn);
      sum(context, 3, values.data(), 5000);
      tutti_async_end(context);
      tutti_destroy_group(context, 0, 3);
      if (values[4999] != float(ranks))
        return text("turn ", turn, " has ", values[4999], " when its group is gone");
      tutti_await(context, turn);
    }
    return "";
  });
}

TEST_P(Future, that_was_refused_leaves_nothing_to_wait_for) {
  RankThreads threads{GetParam()};
  for (const std::string &said : threads.run([](tutti_context *context, int32_t) -> std::string {
         float value = 3;
         tutti_async_begin(context, 0);
         sum(context, 9, &value, 1);
         sum(context, 0, &value, 1);
         tutti_async_end(context);
         tutti_await(context, 0);
         tutti_async_begin(context, 1);
         tutti_async_end(context); // no error hides the first one
         tutti_await(context, 1);
         return value == 3 ? tutti_context_message(context) : "it ran";
       }))
    EXPECT_THAT(said, HasSubstr("all_reduce: group 9 does not exist"));
}

TEST(FutureFailure, of_one_rank_ends_the_wait_of_the_others) {
  RankThreads threads{2};
  std::vector<std::string> said = threads.run([](tutti_context *context, int32_t rank) {
    float values[2] = {};
    if (rank == 0) {
      tutti_async_begin(context, 0);
      sum(context, 0, values, 2);
      tutti_async_end(context);
      tutti_await(context, 0);
    } else
      tutti_context_fail(context, TUTTI_BAD_DATA, "no more data");
    return std::string(tutti_context_message(context));
  });
  EXPECT_THAT(said[0], HasSubstr("another thread failed"));
  EXPECT_EQ(said[1], "no more data");
}
