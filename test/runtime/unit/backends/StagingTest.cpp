// The counter of what a transport copies because buffers are not where peers can reach them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/Fork.h"
#include "test/runtime/RankForks.h"
#include "tutti/collectives.h"

#include <atomic>
#include <gmock/gmock.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace tutti::runtime;
using testing::HasSubstr;
using testing::Not;

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

constexpr int64_t kLarge = 100000, kSmall = 10; // floats: beyond and within what is posted

RankForks world(int32_t ranks, bool is_staged = false) {
  RankForks forks;
  forks.ranks = ranks;
  forks.is_staged = is_staged;
  return forks;
}

/// What a rank says of calls with large private buffers.
std::string staged_of_private(tutti_context *context, int32_t rank, bool is_read) {
  for (int64_t turn = 0; turn < 2; ++turn)
    tutti_barrier(context, 0, TUTTI_GROUP_WORLD); // then all know what they can read
  // Two members that stage reduce everything for themselves: each shows all it has.
  return expect("all_reduce", staged_by(context, false, kLarge, all_reduce),
                is_read ? 0 : kLarge * 4) +
         expect("broadcast", staged_by(context, false, kLarge, broadcast),
                rank == 0 && !is_read ? kLarge * 4 : 0);
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

TEST(Staging, nothing_is_copied_of_large_private_buffers_that_peers_can_read) {
  if (!can_forks_read_each_other())
    GTEST_SKIP() << "the system lets no process read another";
  EXPECT_EQ(world(2).run([](tutti_context *context, int32_t rank) {
    return staged_of_private(context, rank, true);
  }),
            "");
}

TEST(Staging, private_buffers_that_nobody_may_read_are_copied_once) {
  EXPECT_EQ(world(2, true).run([](tutti_context *context, int32_t rank) {
    return staged_of_private(context, rank, false);
  }),
            "");
}

TEST(Staging, one_rank_says_why_if_one_cannot_read_another) {
  void *page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto &is_disturbed = *new (page) std::atomic<bool>(false);
  RankForks forks = world(2);
  forks.disturb = [&](const shm::Segment &segment, const std::vector<int> &) {
    while (segment.slot(0).state.load() != shm::rank_joined)
      usleep(1000);
    segment.slot(0).proof.fetch_add(1); // as if the process were another
    is_disturbed.store(true);
  };
  std::string said = forks.run([&](tutti_context *context, int32_t) -> std::string {
    while (!is_disturbed.load())
      usleep(1000);
    testing::internal::CaptureStderr();
    for (int64_t turn = 0; turn < 3; ++turn)
      staged_by(context, false, kLarge, all_reduce);
    std::string complaint =
        expect("all_reduce", staged_by(context, false, kLarge, all_reduce), kLarge * 4);
    return complaint + testing::internal::GetCapturedStderr();
  });
  std::string note =
      "tutti: note: private buffers are copied twice: the memory of rank 0 (process ";
  EXPECT_THAT(said, HasSubstr(note));
  EXPECT_EQ(said.find(note), said.rfind(note)) << said;
  EXPECT_THAT(said, Not(HasSubstr("bytes, not")));
  munmap(page, 4096);
}

TEST(Staging, a_small_payload_is_the_message_itself) {
  EXPECT_EQ(world(2).run([](tutti_context *context, int32_t) -> std::string {
    return expect("all_reduce", staged_by(context, false, kSmall, all_reduce), 0);
  }),
            "");
}
