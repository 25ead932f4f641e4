// All-to-all of parts of any size.
// Steps: 2; in the first one ranks compare what one sends with what the other expects.
// Bytes sent: what the counts say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/Exchange.h"
#include "runtime/engine/core/Context.h"
#include "runtime/support/Names.h"

namespace tutti::runtime::algorithms {
namespace {

/// Every pair agrees on what passes between them, or both say how they differ.
int32_t compare_counts(const Place &place, const tutti_call &call) {
  ScratchArray<int64_t> announced(place.scratch(), size_t(place.size()));
  Exchange exchange(place);
  for (int32_t peer = 0; peer < place.size(); ++peer) {
    exchange.send(peer, &call.send_counts[peer], sizeof(int64_t));
    exchange.receive(peer, &announced[peer], sizeof(int64_t));
  }
  if (int32_t status = exchange.run())
    return status;
  announced[place.rank()] = call.send_counts[place.rank()];
  for (int32_t peer = 0; peer < place.size(); ++peer)
    if (announced[peer] != call.receive_counts[peer]) {
      place.context->fail(TUTTI_PLAN_MISMATCH,
                          text("all_to_all_v: rank ", peer, " of the group sends ", announced[peer],
                               " elements, but rank ", place.rank(), " expects ",
                               call.receive_counts[peer], " (",
                               place.context->where(call.plan_entry), ")"));
      return TUTTI_PLAN_MISMATCH;
    }
  return TUTTI_OK;
}

} // namespace

int32_t all_to_all_v(const Place &place, const tutti_call &call) {
  if (int32_t status = compare_counts(place, call))
    return status;
  int64_t bytes = type_bytes(call.type);
  Exchange exchange(place);
  for (int32_t peer = 0; peer < place.size(); ++peer) {
    const char *given = source(call, 0) + call.send_displacements[peer] * bytes;
    char *wanted = destination(call, 0) + call.receive_displacements[peer] * bytes;
    if (peer == place.rank())
      copy(wanted, given, call.send_counts[peer] * bytes);
    exchange.send(peer, given, call.send_counts[peer] * bytes);
    exchange.receive(peer, wanted, call.receive_counts[peer] * bytes);
  }
  return exchange.run();
}

} // namespace tutti::runtime::algorithms
