// Joining and leaving a segment, and giving out its memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/World.h"

#include "runtime/engine/core/Context.h"
#include "runtime/waiting/Doorbell.h"

#include <sched.h>
#include <unistd.h>

namespace tutti::runtime::shm {
World::World(Segment mapped, int64_t rank, int32_t name, const tutti_limits &limits,
             int64_t busy_threads, bool is_staged)
    : segment(std::move(mapped)), own_rank(rank), busy_threads(busy_threads), policy(limits),
      table(segment, rank, policy), proof(make_proof()) {
  prepare_to_sleep();
  RankSlot &own = segment.slot(rank);
  own.process.store(getpid());
  own.name.store(name);
  own.proof.store(proof);
  own.proof_address.store(is_staged ? 0 : reinterpret_cast<uint64_t>(&proof));
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors) == 0)
    for (int64_t number = 0; number < most_processors; ++number)
      if (CPU_ISSET(number, &processors))
        own.processors[number / 64].fetch_or(uint64_t(1) << (number % 64));
  own.state.store(rank_joined);
}

World::~World() {
  // A rank that leaves in the middle of a run is still seen as joined, so that its end is noticed
  // as early.
  if (segment.aborted().kind == AbortKind::none)
    segment.slot(own_rank).state.store(rank_finished);
}

void World::count_processors() {
  int64_t processors = 0;
  for (int64_t word = 0; word < most_processors / 64; ++word) {
    uint64_t any = 0; // each rank may be bound to one of its own
    for (int64_t rank = 0; rank < segment.ranks(); ++rank)
      any |= segment.slot(rank).processors[word].load(std::memory_order_relaxed);
    processors += __builtin_popcountll(any);
  }
  policy.spins.store(busy_threads <= processors ? WaitPolicy::spins_otherwise
                                                : WaitPolicy::spins_if_crowded,
                     std::memory_order_relaxed);
}

int32_t World::allocate(tutti_context *context, int64_t bytes, void **out_memory) {
  int64_t rounded = (bytes + 63) & ~int64_t(63);
  if (rounded > segment.arena_bytes() - allocated) {
    context->fail(TUTTI_OUT_OF_MEMORY,
                  text("rank ", own_rank, " needs ", bytes, " bytes of shared memory, but only ",
                       segment.arena_bytes() - allocated, " of ", segment.arena_bytes(),
                       " are left; create the segment with a larger arena"));
    return context->status;
  }
  *out_memory = segment.arena(own_rank) + allocated;
  allocated += rounded;
  return TUTTI_OK;
}

uint64_t World::place_of(const void *pointer, int64_t bytes) const {
  if (bytes == 0)
    return 0;
  const char *arena = segment.arena(own_rank);
  const char *begin = static_cast<const char *>(pointer);
  bool is_inside = begin >= arena && begin + bytes <= arena + segment.arena_bytes();
  return is_inside ? uint64_t(begin - arena) : private_place | reinterpret_cast<uint64_t>(pointer);
}

} // namespace tutti::runtime::shm
