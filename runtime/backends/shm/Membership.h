// One rank's place in a shared segment: its barrier, its arena, and what it sees of its peers in a
// round of a collective.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_SHM_MEMBERSHIP_H
#define TUTTI_RUNTIME_BACKENDS_SHM_MEMBERSHIP_H

#include "runtime/backends/shm/Barrier.h"
#include "runtime/core/Bucket.h"
#include "runtime/core/Names.h"
#include "tutti/context.h"

#include <cstring>
#include <vector>

namespace tutti::runtime::shm {

/// The kinds of collectives, for the signature that peers compare.
enum class Kind : uint64_t { barrier = 1, all_reduce, broadcast, all_gather, reduce_scatter };

/// A part of a call small enough to publish: buffers first .. first + bucket.count.
struct Round {
  const tutti_call &call;
  int64_t first;
  Bucket bucket;
  int64_t element_bytes;

  const char *source(int64_t i) const { return static_cast<const char *>(call.sources[first + i]); }
  char *destination(int64_t i) const { return static_cast<char *>(call.destinations[first + i]); }
};

/// The state of the backend on one rank.
class Membership {
public:
  Membership(Segment segment, int64_t rank, StallLimits limits, int64_t busy_threads);
  ~Membership();

  int64_t rank() const { return own_rank; }
  int64_t ranks() const { return segment.ranks(); }
  Segment &shared() { return segment; }

  int32_t allocate(tutti_context *context, int64_t bytes, void **out_memory);
  int32_t barrier(tutti_context *context, int64_t plan_entry) {
    return gate.wait(context, plan_entry);
  }

  /// Runs one call in rounds. Each round publishes this rank's buffers and meets the peers; then,
  /// if every buffer of every rank lies in shared memory, calls direct(round), else staged(round).
  /// A last barrier ends the round. Both return a status.
  template <typename Direct, typename Staged>
  int32_t run(tutti_context *context, Kind kind, const tutti_call &call, int64_t source_factor,
              int64_t destination_factor, Direct direct, Staged staged);

  /// Where buffer `i` of the round lies on rank `peer`.
  const char *peer_source(int64_t peer, int64_t i) {
    return segment.arena(peer) + segment.slot(peer).publication.sources[i];
  }
  char *peer_destination(int64_t peer, int64_t i) {
    return segment.arena(peer) + segment.slot(peer).publication.destinations[i];
  }

private:
  void publish(Kind kind, const Round &round, int64_t source_factor, int64_t destination_factor);
  uint64_t offset_of(const void *pointer, int64_t bytes);
  int32_t meet(tutti_context *context, const tutti_call &call);
  bool everything_is_shared(int64_t buffers);

  Segment segment;
  int64_t own_rank;
  Barrier gate;
  int64_t allocated = 0;
};

template <typename Direct, typename Staged>
int32_t Membership::run(tutti_context *context, Kind kind, const tutti_call &call,
                        int64_t source_factor, int64_t destination_factor, Direct direct,
                        Staged staged) {
  for (int64_t first = 0; first < call.count; first += published_buffers) {
    int64_t count = std::min(published_buffers, call.count - first);
    Round round = {call, first, {count, call.elements + first}, type_bytes(call.type)};
    publish(kind, round, source_factor, destination_factor);
    if (int32_t status = meet(context, call))
      return status;
    int32_t status = everything_is_shared(count) ? direct(round) : staged(round);
    if (status == TUTTI_OK)
      status = barrier(context, call.plan_entry);
    if (status != TUTTI_OK)
      return status;
  }
  return TUTTI_OK;
}

/// The collectives; see their files.
int32_t all_reduce(Membership &member, tutti_context *context, const tutti_call &call);
int32_t broadcast(Membership &member, tutti_context *context, const tutti_call &call);
int32_t all_gather(Membership &member, tutti_context *context, const tutti_call &call);
int32_t reduce_scatter(Membership &member, tutti_context *context, const tutti_call &call);

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_BACKENDS_SHM_MEMBERSHIP_H
