// Broadcast in shared memory: everyone copies from where the root's buffer lies.
// Steps: 2 barriers. Traffic: (N - 1) * S copied, each rank its own part. Staged: 2 barriers a
// chunk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Membership.h"

namespace tutti::runtime::shm {
namespace {

int32_t direct(Membership &member, const Round &round) {
  for (int64_t i = 0; i < round.bucket.count; ++i) {
    const char *source = member.peer_source(round.call.peer, i);
    if (source != round.destination(i) && round.bucket.elements[i] > 0)
      std::memcpy(round.destination(i), source, round.bucket.elements[i] * round.element_bytes);
  }
  return TUTTI_OK;
}

int32_t staged_chunk(Membership &member, tutti_context *context, const Round &round, Range range) {
  char *stage = member.shared().stage(round.call.peer);
  if (member.rank() == round.call.peer)
    round.bucket.for_each_piece(range, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
      std::memcpy(stage + (at - range.begin) * round.element_bytes,
                  round.source(i) + offset * round.element_bytes, count * round.element_bytes);
    });
  if (int32_t status = member.barrier(context, round.call.plan_entry))
    return status;
  round.bucket.for_each_piece(range, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
    std::memcpy(round.destination(i) + offset * round.element_bytes,
                stage + (at - range.begin) * round.element_bytes, count * round.element_bytes);
  });
  return member.barrier(context, round.call.plan_entry); // before the stage is used again
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

int32_t broadcast(Membership &member, tutti_context *context, const tutti_call &call) {
  return member.run(
      context, Kind::broadcast, call, 1, 1,
      [&](const Round &round) { return direct(member, round); },
      [&](const Round &round) { return staged(member, context, round); });
}

} // namespace tutti::runtime::shm
