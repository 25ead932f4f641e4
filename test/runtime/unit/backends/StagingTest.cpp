// The counter of what a transport copies because buffers are not where peers can reach them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/RankForks.h"
#include "tutti/collectives.h"

#include <gtest/gtest.h>
#include <vector>

using namespace tutti::runtime;

namespace {

/// Buffers of one call, from the context if `is_shared`, and the call.
int64_t staged_by(tutti_context *context, bool is_shared, int64_t elements,
                  void (*call)(tutti_context *, void *const *, const int64_t *)) {
  tutti_counters before, after;
  std::vector<float> own(is_shared ? 0 : elements);
  void *memory = own.data();
  if (is_shared)
    tutti_context_alloc(context, elements * int64_t(sizeof(float)), &memory);
  tutti_context_counters(context, &before);
  call(context, &memory, &elements);
  tutti_context_counters(context, &after);
  return after.staged_bytes - before.staged_bytes;
}

void all_reduce(tutti_context *context, void *const *buffers, const int64_t *elements) {
  tutti_all_reduce(context, 0, TUTTI_GROUP_WORLD, TUTTI_SUM, TUTTI_F32, 1, buffers, buffers,
                   elements);
}

void broadcast(tutti_context *context, void *const *buffers, const int64_t *elements) {
  tutti_broadcast(context, 0, TUTTI_GROUP_WORLD, 0, TUTTI_F32, 1, buffers, buffers, elements);
}

std::string expect(const char *what, int64_t staged, int64_t expected) {
  return staged == expected ? ""
                            : std::string(what) + ": " + std::to_string(staged) + " bytes, not " +
                                  std::to_string(expected) + "\n";
}

constexpr int64_t kLarge = 40000, kSmall = 10; // floats: beyond and within what is posted

RankForks world(int32_t ranks) {
  RankForks forks;
  forks.ranks = ranks;
  return forks;
}

} // namespace

TEST(Staging, nothing_is_copied_of_buffers_that_peers_can_reach) {
  for (int32_t ranks : {2, 4})
    EXPECT_EQ(world(ranks).run([](tutti_context *context, int32_t) -> std::string {
      return expect("all_reduce", staged_by(context, true, kLarge, all_reduce), 0) +
             expect("broadcast", staged_by(context, true, kLarge, broadcast), 0);
    }),
              "");
}

TEST(Staging, private_buffers_are_copied_once) {
  EXPECT_EQ(world(2).run([](tutti_context *context, int32_t rank) -> std::string {
    // Two members reduce everything for themselves: each shows all it has.
    return expect("all_reduce", staged_by(context, false, kLarge, all_reduce), kLarge * 4) +
           expect("broadcast", staged_by(context, false, kLarge, broadcast),
                  rank == 0 ? kLarge * 4 : 0);
  }),
            "");
}

TEST(Staging, a_small_payload_is_the_message_itself) {
  EXPECT_EQ(world(2).run([](tutti_context *context, int32_t) -> std::string {
    return expect("all_reduce", staged_by(context, false, kSmall, all_reduce), 0);
  }),
            "");
}
