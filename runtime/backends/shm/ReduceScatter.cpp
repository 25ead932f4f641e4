// Reduce-scatter in shared memory: rank r reduces part r of all ranks' buffers, in rank order, into
// its own. Steps: 2 barriers. Traffic: N * S read, S written by all ranks together. Staged: for
// each part, 2 barriers a chunk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Membership.h"
#include "runtime/core/Reduction.h"

namespace tutti::runtime::shm {
namespace {

void reduce(Membership &member, const Round &round, const std::vector<const void *> &sources,
            int64_t i, int64_t offset, int64_t count) {
  void *destination = round.destination(i) + offset * round.element_bytes;
  reduce_in_order(round.call.type, round.call.reduction, sources.data(), member.ranks(),
                  &destination, 1, count);
}

int32_t direct(Membership &member, const Round &round) {
  std::vector<const void *> sources(member.ranks());
  for (int64_t i = 0; i < round.bucket.count; ++i) {
    int64_t own = member.rank() * round.bucket.elements[i] * round.element_bytes;
    for (int64_t peer = 0; peer < member.ranks(); ++peer)
      sources[peer] = member.peer_source(peer, i) + own;
    reduce(member, round, sources, i, 0, round.bucket.elements[i]);
  }
  return TUTTI_OK;
}

/// Elements `range` of part `part` of buffer `i`.
int32_t staged_chunk(Membership &member, tutti_context *context, const Round &round, int64_t i,
                     int64_t part, Range range) {
  int64_t at = part * round.bucket.elements[i] + range.begin;
  std::memcpy(member.shared().stage(member.rank()), round.source(i) + at * round.element_bytes,
              range.size() * round.element_bytes);
  if (int32_t status = member.barrier(context, round.call.plan_entry))
    return status;
  if (part == member.rank()) {
    std::vector<const void *> sources(member.ranks());
    for (int64_t peer = 0; peer < member.ranks(); ++peer)
      sources[peer] = member.shared().stage(peer);
    reduce(member, round, sources, i, range.begin, range.size());
  }
  return member.barrier(context, round.call.plan_entry); // before the stages are used again
}

int32_t staged(Membership &member, tutti_context *context, const Round &round) {
  int64_t chunk = stage_bytes / round.element_bytes;
  for (int64_t i = 0; i < round.bucket.count; ++i)
    for (int64_t part = 0; part < member.ranks(); ++part)
      for (int64_t begin = 0; begin < round.bucket.elements[i]; begin += chunk) {
        Range range = {begin, std::min(begin + chunk, round.bucket.elements[i])};
        if (int32_t status = staged_chunk(member, context, round, i, part, range))
          return status;
      }
  return TUTTI_OK;
}

} // namespace

int32_t reduce_scatter(Membership &member, tutti_context *context, const tutti_call &call) {
  return member.run(
      context, Kind::reduce_scatter, call, member.ranks(), 1,
      [&](const Round &round) { return direct(member, round); },
      [&](const Round &round) { return staged(member, context, round); });
}

} // namespace tutti::runtime::shm
