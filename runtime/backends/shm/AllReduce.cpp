// All-reduce in shared memory. Rank r reduces slice r of all ranks' buffers, in rank order, and
// writes the result to all of them; so each byte is read once and written once by each pair, and
// nothing is staged. Steps: 2 barriers. Traffic: N * S read, N * S written, shared by N ranks.
// Buffers outside shared memory pass through the stages, a chunk at a time, with 2 barriers a
// chunk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Membership.h"
#include "runtime/core/Reduction.h"

namespace tutti::runtime::shm {
namespace {

/// A slice below this many bytes is not worth a second processor.
constexpr int64_t grain_bytes = 1024;

class AllReduce {
public:
  AllReduce(Membership &member, const Round &round)
      : member(member), round(round), grain(grain_bytes / round.element_bytes),
        sources(member.ranks()), destinations(member.ranks()) {}

  int32_t direct() {
    Range own = slice({0, round.bucket.total()}, member.rank(), member.ranks(), grain);
    round.bucket.for_each_piece(own, [&](int64_t i, int64_t offset, int64_t, int64_t count) {
      for (int64_t peer = 0; peer < member.ranks(); ++peer) {
        sources[peer] = member.peer_source(peer, i) + offset * round.element_bytes;
        destinations[peer] = member.peer_destination(peer, i) + offset * round.element_bytes;
      }
      reduce(count);
    });
    return TUTTI_OK;
  }

  int32_t staged(tutti_context *context) {
    int64_t chunk = stage_bytes / round.element_bytes, total = round.bucket.total();
    for (int64_t begin = 0; begin < total; begin += chunk)
      if (int32_t status = staged_chunk(context, {begin, std::min(begin + chunk, total)}))
        return status;
    return TUTTI_OK;
  }

private:
  int32_t staged_chunk(tutti_context *context, Range range) {
    char *own = member.shared().stage(member.rank());
    round.bucket.for_each_piece(range, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
      std::memcpy(own + (at - range.begin) * round.element_bytes,
                  round.source(i) + offset * round.element_bytes, count * round.element_bytes);
    });
    if (int32_t status = member.barrier(context, round.call.plan_entry))
      return status;
    reduce_stages(slice({0, range.size()}, member.rank(), member.ranks(), grain));
    if (int32_t status = member.barrier(context, round.call.plan_entry))
      return status;
    round.bucket.for_each_piece(range, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
      std::memcpy(round.destination(i) + offset * round.element_bytes,
                  own + (at - range.begin) * round.element_bytes, count * round.element_bytes);
    });
    return TUTTI_OK;
  }

  void reduce_stages(Range own) {
    for (int64_t peer = 0; peer < member.ranks(); ++peer) {
      char *part = member.shared().stage(peer) + own.begin * round.element_bytes;
      sources[peer] = destinations[peer] = part;
    }
    reduce(own.size());
  }

  void reduce(int64_t count) {
    reduce_in_order(round.call.type, round.call.reduction, sources.data(), member.ranks(),
                    destinations.data(), member.ranks(), count);
  }

  Membership &member;
  const Round &round;
  int64_t grain;
  std::vector<const void *> sources;
  std::vector<void *> destinations;
};

} // namespace

int32_t all_reduce(Membership &member, tutti_context *context, const tutti_call &call) {
  return member.run(
      context, Kind::all_reduce, call, 1, 1,
      [&](const Round &round) { return AllReduce(member, round).direct(); },
      [&](const Round &round) { return AllReduce(member, round).staged(context); });
}

} // namespace tutti::runtime::shm
