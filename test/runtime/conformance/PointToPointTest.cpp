// send and recv: rings, tags, order, sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/conformance/Elements.h"
#include "test/runtime/conformance/World.h"

using namespace tutti::runtime;

namespace {

using F32 = ElementType<TUTTI_F32, float>;

class PointToPoint : public Conformance {
protected:
  void SetUp() override {
    if (ranks() == 1)
      GTEST_SKIP() << "one rank has nobody to talk to";
  }
};

void send(tutti_context *context, int32_t peer, int64_t tag, const float *values, int64_t size) {
  const void *source = values;
  tutti_send(context, 0, 0, peer, tag, TUTTI_F32, 1, &source, &size);
}

void receive(tutti_context *context, int32_t peer, int64_t tag, float *values, int64_t size) {
  void *destination = values;
  tutti_recv(context, 0, 0, peer, tag, TUTTI_F32, 1, &destination, &size);
}

} // namespace

TEST_P(PointToPoint, values_travel_round_a_ring) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              int32_t n = tutti_context_size(context);
              int32_t next = (rank + 1) % n, last = (rank + n - 1) % n;
              for (int64_t size : {0, 1, 5, 1023, 40000, 700001})
                for (bool is_shared : {true, false}) {
                  Memory memory(context, is_shared);
                  float *given = memory.filled<F32>(rank, size), *got = memory.buffer<float>(size);
                  if (rank != 0)
                    receive(context, last, 4, got, size);
                  send(context, next, 4, given, size);
                  if (rank == 0)
                    receive(context, last, 4, got, size);
                  for (int64_t i = 0; i < size; ++i)
                    COMPLAIN_UNLESS(got[i] == F32::value(last, i), "element ", i, " of ", size);
                }
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(PointToPoint, equal_tags_keep_their_order) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              for (int64_t i = 0; i < 200 && rank < 2; ++i) {
                float value = float(i);
                rank == 0 ? send(context, 1, 9, &value, 1) : receive(context, 0, 9, &value, 1);
                COMPLAIN_UNLESS(value == float(i), "message ", i, " is ", value);
              }
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(PointToPoint, buckets_and_groups) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              int32_t n = tutti_context_size(context);
              int64_t members[] = {n - 1, 0}; // the last rank is number 0
              tutti_create_group(context, 0, 1, 2, members);
              float a[3] = {1, 2, 3}, b[1] = {4};
              int64_t elements[] = {3, 1};
              if (rank == n - 1) {
                const void *sources[] = {a, b};
                tutti_send(context, 0, 1, 1, 5, TUTTI_F32, 2, sources, elements);
              } else if (rank == 0) {
                float c[3] = {}, d[1] = {};
                void *destinations[] = {c, d};
                tutti_recv(context, 0, 1, 0, 5, TUTTI_F32, 2, destinations, elements);
                COMPLAIN_UNLESS(c[2] == 3 && d[0] == 4, c[2], " ", d[0]);
              }
              tutti_destroy_group(context, 0, 1);
              return tutti_context_message(context);
            }),
            "");
}

CONFORMANCE_SUITE(PointToPoint);
