// All-gather in shared memory: everyone copies every part from where it lies.
// Steps: 2 barriers. Traffic: N * N * S copied, each rank its own result. Staged: 2 barriers a
// chunk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Membership.h"

namespace tutti::runtime::shm {
namespace {

void copy_part(const Round &round, int64_t peer, int64_t i, int64_t offset, const char *from,
               int64_t count) {
  int64_t at = peer * round.bucket.elements[i] + offset;
  char *to = round.destination(i) + at * round.element_bytes;
  if (to != from && count > 0)
    std::memcpy(to, from, count * round.element_bytes);
}

int32_t direct(Membership &member, const Round &round) {
  for (int64_t i = 0; i < round.bucket.count; ++i)
    for (int64_t peer = 0; peer < member.ranks(); ++peer)
      copy_part(round, peer, i, 0, member.peer_source(peer, i), round.bucket.elements[i]);
  return TUTTI_OK;
}

int32_t staged_chunk(Membership &member, tutti_context *context, const Round &round, Range range) {
  char *own = member.shared().stage(member.rank());
  round.bucket.for_each_piece(range, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
    std::memcpy(own + (at - range.begin) * round.element_bytes,
                round.source(i) + offset * round.element_bytes, count * round.element_bytes);
  });
  if (int32_t status = member.barrier(context, round.call.plan_entry))
    return status;
  round.bucket.for_each_piece(range, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
    for (int64_t peer = 0; peer < member.ranks(); ++peer)
      copy_part(round, peer, i, offset,
                member.shared().stage(peer) + (at - range.begin) * round.element_bytes, count);
  });
  return member.barrier(context, round.call.plan_entry); // before the stages are used again
}

int32_t staged(Membership &member, tutti_context *context, const Round &round) {
  int64_t chunk = stage_bytes / round.element_bytes, total = round.bucket.total();
  for (int64_t begin = 0; begin < total; begin += chunk)
    if (int32_t status =
            staged_chunk(member, context, round, {begin, std::min(begin + chunk, total)}))
      return status;
  return TUTTI_OK;
}

} // namespace

int32_t all_gather(Membership &member, tutti_context *context, const tutti_call &call) {
  return member.run(
      context, Kind::all_gather, call, 1, member.ranks(),
      [&](const Round &round) { return direct(member, round); },
      [&](const Round &round) { return staged(member, context, round); });
}

} // namespace tutti::runtime::shm
