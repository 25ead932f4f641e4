// Reduce: a sliced reduction, then every rank gives its slice to the root.
// Steps: 2 a piece. Bytes sent: at most 2 * S * (N - 1) / N by any rank; the work is shared by all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/algorithms/SlicedReduction.h"

namespace tutti::runtime::algorithms {

/// The ranks that are not the root keep what they gave.
static void keep_sources(const tutti_call &call, int64_t element_bytes) {
  for (int64_t i = 0; i < call.count; ++i)
    copy(destination(call, i), source(call, i), call.elements[i] * element_bytes);
}

int32_t reduce(const Place &place, const tutti_call &call) {
  SlicedReduction reduction(place, call);
  int64_t bytes = reduction.element_bytes();
  bool is_root = place.rank() == call.peer;
  if (!is_root)
    keep_sources(call, bytes);
  return reduction.for_each_piece([&](Range range, Range own) {
    Exchange exchange(place);
    if (is_root)
      reduction.keep(own);
    else
      reduction.row().for_each_piece(own, [&](int64_t, int64_t, int64_t at, int64_t count) {
        exchange.send(call.peer, reduction.reduced() + (at - own.begin) * bytes, count * bytes);
      });
    for (int32_t peer = 0; is_root && peer < place.size(); ++peer)
      reduction.row().for_each_piece(
          reduction.slice_of(range, peer), [&](int64_t i, int64_t offset, int64_t, int64_t count) {
            exchange.receive(peer, destination(call, i) + offset * bytes, count * bytes);
          });
    return exchange.run();
  });
}

} // namespace tutti::runtime::algorithms
