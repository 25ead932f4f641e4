// All-reduce: a sliced reduction, then every rank gives its slice to all others.
// Steps: 2 a piece. Bytes sent: 2 * S * (N - 1) / N, as a ring sends; rank order costs nothing
// more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/algorithms/SlicedReduction.h"

namespace tutti::runtime::algorithms {

int32_t all_reduce(const Place &place, const tutti_call &call) {
  SlicedReduction reduction(place, call);
  int64_t bytes = reduction.element_bytes();
  return reduction.for_each_piece([&](Range range, Range own) {
    // In place this overwrites sources of this piece, all of which have been sent by now.
    reduction.keep(own);
    Exchange exchange(place);
    for (int32_t peer = 0; peer < place.size(); ++peer) {
      // Both sides cut a slice where buffers end, so their transfers match in order.
      reduction.row().for_each_piece(own, [&](int64_t, int64_t, int64_t at, int64_t count) {
        exchange.send(peer, reduction.reduced() + (at - own.begin) * bytes, count * bytes);
      });
      reduction.row().for_each_piece(
          reduction.slice_of(range, peer), [&](int64_t i, int64_t offset, int64_t, int64_t count) {
            exchange.receive(peer, destination(call, i) + offset * bytes, count * bytes);
          });
    }
    return exchange.run();
  });
}

} // namespace tutti::runtime::algorithms
