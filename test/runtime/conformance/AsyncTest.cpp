// Collectives that run beside the caller.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/conformance/Elements.h"
#include "test/runtime/conformance/World.h"

using namespace tutti::runtime;

namespace {

using F32 = ElementType<TUTTI_F32, float>;

class Async : public Conformance {};

void sum(tutti_context *context, int64_t group, void *buffer, int64_t size) {
  tutti_all_reduce(context, 0, group, TUTTI_SUM, TUTTI_F32, 1, &buffer, &buffer, &size);
}

std::string check(const float *got, int64_t size, int32_t ranks) {
  for (int64_t i = 0; i < size; ++i)
    COMPLAIN_UNLESS(std::abs(got[i] - reference<F32>(TUTTI_SUM, first_ranks(ranks), i)) < 1e-3,
                    "element ", i, " of ", size, " is ", got[i]);
  return "";
}

} // namespace

TEST_P(Async, several_futures_run_beside_each_other_and_beside_plain_calls) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              int32_t n = tutti_context_size(context);
              const int64_t sizes[] = {1, 1000, is_tried(50001, n) ? 50001 : 5000};
              for (int round = 0; round < 3; ++round) {
                Memory shared(context, true), own(context, false);
                std::vector<float *> buffers;
                for (int64_t future = 0; future < 6; ++future) {
                  Memory &memory = future % 2 ? shared : own;
                  buffers.push_back(memory.filled<F32>(rank, sizes[future / 2]));
                  tutti_async_begin(context, future);
                  sum(context, 0, buffers.back(), sizes[future / 2]);
                  tutti_async_end(context);
                }
                float *meanwhile = own.filled<F32>(rank, 777);
                sum(context, 0, meanwhile, 777);
                std::string complaint = check(meanwhile, 777, n);
                for (int64_t future = 5; future >= 0; --future) {
                  tutti_await(context, future);
                  complaint += check(buffers[future], sizes[future / 2], n);
                }
                COMPLAIN_UNLESS(complaint.empty(), complaint);
              }
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(Async, one_future_may_hold_several_calls_of_several_groups) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              int32_t n = tutti_context_size(context);
              int64_t self = rank;
              tutti_create_group(context, 0, 1, 1, &self);
              Memory memory(context, true);
              float *a = memory.filled<F32>(rank, 300), *b = memory.filled<F32>(rank, 300);
              tutti_async_begin(context, 3);
              sum(context, 0, a, 300);
              sum(context, 1, b, 300);
              tutti_barrier(context, 0, 0);
              tutti_async_end(context);
              tutti_await(context, 3);
              tutti_destroy_group(context, 0, 1);
              for (int64_t i = 0; i < 300; ++i)
                COMPLAIN_UNLESS(b[i] == F32::value(rank, i), "a group of one");
              return check(a, 300, n) + tutti_context_message(context);
            }),
            "");
}

TEST_P(Async, what_is_never_awaited_is_finished_at_the_end) {
  if (GetParam().start == Start::launcher)
    GTEST_SKIP() << "the context of a launcher's rank serves all tests";
  EXPECT_EQ(run([](tutti_context *context, int32_t) -> std::string {
              tutti_async_begin(context, 0);
              tutti_barrier(context, 0, 0);
              tutti_async_end(context);
              return tutti_context_message(context);
            }),
            "");
}

CONFORMANCE_SUITE(Async);
