// Joining and leaving a segment, giving out its memory, and the first half of every round: show,
// meet, compare.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Membership.h"

#include "runtime/core/Context.h"

#include <unistd.h>

namespace tutti::runtime::shm {

Membership::Membership(Segment mapped, int64_t rank, StallLimits limits, int64_t busy_threads)
    : segment(std::move(mapped)), own_rank(rank), gate(segment, rank, limits, busy_threads) {
  RankSlot &own = segment.slot(rank);
  own.process.store(getpid());
  own.state.store(rank_joined);
}

Membership::~Membership() {
  // Whoever leaves in the middle of a run is still seen as joined, so that its end is noticed as
  // early.
  if (segment.aborted().kind == AbortKind::none)
    segment.slot(own_rank).state.store(rank_finished);
}

int32_t Membership::allocate(tutti_context *context, int64_t bytes, void **out_memory) {
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

uint64_t Membership::offset_of(const void *pointer, int64_t bytes) {
  if (bytes == 0)
    return 0; // never read
  const char *arena = segment.arena(own_rank);
  const char *begin = static_cast<const char *>(pointer);
  bool is_inside = begin >= arena && begin + bytes <= arena + segment.arena_bytes();
  return is_inside ? uint64_t(begin - arena) : not_shared;
}

void Membership::publish(Kind kind, const Round &round, int64_t source_factor,
                         int64_t destination_factor) {
  uint64_t signature = 0xcbf29ce484222325u;
  auto mix = [&](uint64_t value) { signature = (signature ^ value) * 0x9e3779b97f4a7c15u; };
  Publication &own = segment.slot(own_rank).publication;
  const tutti_call &call = round.call;
  for (uint64_t value : {uint64_t(kind), uint64_t(call.type), uint64_t(call.reduction),
                         uint64_t(call.peer), uint64_t(call.count)})
    mix(value);
  for (int64_t i = 0; i < round.bucket.count; ++i) {
    int64_t bytes = round.bucket.elements[i] * round.element_bytes;
    own.sources[i] = offset_of(round.source(i), bytes * source_factor);
    own.destinations[i] = offset_of(round.destination(i), bytes * destination_factor);
    mix(round.bucket.elements[i]);
  }
  own.plan_entry = call.plan_entry;
  own.signature = signature;
}

int32_t Membership::meet(tutti_context *context, const tutti_call &call) {
  if (int32_t status = barrier(context, call.plan_entry))
    return status;
  const Publication &own = segment.slot(own_rank).publication;
  for (int64_t peer = 0; peer < ranks(); ++peer) {
    const Publication &other = segment.slot(peer).publication;
    if (other.signature == own.signature && other.plan_entry == own.plan_entry)
      continue;
    context->fail(TUTTI_PLAN_MISMATCH,
                  text("ranks run different collectives at step ", context->step, ": rank ",
                       own_rank, " is in ", context->plan_entry_text(own.plan_entry), ", rank ",
                       peer, " in ", context->plan_entry_text(other.plan_entry),
                       own.plan_entry == other.plan_entry
                           ? ", with another kind, type, reduction or size"
                           : ""));
    return context->status;
  }
  return TUTTI_OK;
}

bool Membership::everything_is_shared(int64_t buffers) {
  for (int64_t peer = 0; peer < ranks(); ++peer) {
    const Publication &shown = segment.slot(peer).publication;
    for (int64_t i = 0; i < buffers; ++i)
      if (shown.sources[i] == not_shared || shown.destinations[i] == not_shared)
        return false;
  }
  return true;
}

} // namespace tutti::runtime::shm
