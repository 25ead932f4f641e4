// One piece of a sliced reduction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/algorithms/SlicedReduction.h"

#include "runtime/support/Names.h"

#include <algorithm>

namespace tutti::runtime::algorithms {

/// Scratch is about twice this, whatever the size of the bucket.
constexpr int64_t most_piece_bytes = int64_t(8) << 20;

SlicedReduction::SlicedReduction(const Place &place, const tutti_call &call)
    : place(place), call(call),
      order(*place.context, place.communicator), bucket{call.count, call.elements},
      bytes(type_bytes(call.type)), total(bucket.total()),
      piece(std::max<int64_t>(1, std::min(total, most_piece_bytes / bytes))) {
  int64_t slice_bytes = (piece / place.size() + 1) * bytes;
  received.resize(size_t(slice_bytes * place.size()));
  own_slice.resize(size_t(slice_bytes));
}

int32_t SlicedReduction::reduce_piece(Range range) {
  Exchange exchange(place);
  std::vector<const void *> sources(place.size());
  Range own = slice_of(range, place.rank());
  for (int32_t peer = 0; peer < place.size(); ++peer) {
    bucket.for_each_piece(slice_of(range, peer),
                          [&](int64_t i, int64_t offset, int64_t, int64_t count) {
                            exchange.send(peer, source(call, i) + offset * bytes, count * bytes);
                          });
    char *part = received.data() + peer * own.size() * bytes;
    sources[peer] = part;
    bucket.for_each_piece(own, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
      char *place_of_part = part + (at - own.begin) * bytes;
      if (peer == place.rank())
        copy(place_of_part, source(call, i) + offset * bytes, count * bytes);
      exchange.receive(peer, place_of_part, count * bytes);
    });
  }
  if (int32_t status = exchange.run())
    return status;
  order.reduce(call.type, call.reduction, sources.data(), own_slice.data(), own.size());
  return TUTTI_OK;
}

void SlicedReduction::keep(Range own) const {
  bucket.for_each_piece(own, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
    copy(destination(call, i) + offset * bytes, reduced() + (at - own.begin) * bytes,
         count * bytes);
  });
}

} // namespace tutti::runtime::algorithms
