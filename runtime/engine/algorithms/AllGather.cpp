// All-gather. Few ranks send their part to all others in one step. Many ranks double what they have
// in each step (Bruck et al., 1997): after step k a rank has the parts of 2^(k+1) ranks, its own
// first, each in its place. A rank exchanges messages with at most 2 log2(N) others.
// Steps: 1, of more than `most_at_once` ranks log2(N). Bytes sent: S * (N - 1).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/Exchange.h"
#include "runtime/support/Names.h"

#include <algorithm>

namespace tutti::runtime::algorithms {
namespace {

constexpr int32_t most_at_once = 8;

int64_t part_of(const tutti_call &call, int64_t buffer) {
  return call.elements[buffer] * type_bytes(call.type);
}

int32_t gather_at_once(const Place &place, const tutti_call &call) {
  Exchange exchange(place);
  for (int64_t i = 0; i < call.count; ++i) {
    int64_t part = part_of(call, i);
    for (int32_t peer = 0; peer < place.size(); ++peer) {
      exchange.send(peer, destination(call, i) + place.rank() * part, part);
      exchange.receive(peer, destination(call, i) + peer * part, part);
    }
  }
  return exchange.run();
}

/// Calls use(memory, bytes) for the parts of `count` ranks from `first` on. Rank 0 follows the last
/// rank.
template <typename Use>
void for_parts(const Place &place, const tutti_call &call, int64_t buffer, int32_t first,
               int32_t count, Use use) {
  int64_t part = part_of(call, buffer);
  int32_t before_end = std::min(count, place.size() - first);
  use(destination(call, buffer) + first * part, before_end * part);
  use(destination(call, buffer), (count - before_end) * part);
}

int32_t gather_by_doubling(const Place &place, const tutti_call &call) {
  int32_t size = place.size();
  Exchange exchange(place);
  for (int32_t reach = 1; reach < size; reach *= 2) { // this rank has so many parts
    int32_t before = (place.rank() - reach + size) % size, after = (place.rank() + reach) % size;
    int32_t count = std::min(reach, size - reach);
    for (int64_t i = 0; i < call.count; ++i) {
      for_parts(place, call, i, place.rank(), count,
                [&](char *memory, int64_t bytes) { exchange.send(before, memory, bytes); });
      for_parts(place, call, i, after, count,
                [&](char *memory, int64_t bytes) { exchange.receive(after, memory, bytes); });
    }
    if (int32_t status = exchange.run())
      return status;
  }
  return TUTTI_OK;
}

} // namespace

int32_t all_gather(const Place &place, const tutti_call &call) {
  for (int64_t i = 0; i < call.count; ++i)
    copy(destination(call, i) + place.rank() * part_of(call, i), source(call, i), part_of(call, i));
  return place.size() <= most_at_once ? gather_at_once(place, call)
                                      : gather_by_doubling(place, call);
}

} // namespace tutti::runtime::algorithms
