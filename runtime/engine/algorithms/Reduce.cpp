// Reduce: a sliced reduction, then every rank gives its slice to the root.
// Steps: 2 a piece. Bytes sent: at most 2 * S * (N - 1) / N by any rank; the work is shared by all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/SlicedReduction.h"

#include "runtime/support/Names.h"

namespace tutti::runtime::algorithms {

/// The ranks that are not the root keep what they gave.
static void keep_sources(const tutti_call &call) {
  for (int64_t i = 0; i < call.count; ++i)
    copy(destination(call, i), source(call, i), call.elements[i] * type_bytes(call.type));
}

int32_t reduce(const Place &place, const tutti_call &call) {
  SlicedReduction reduction(place, call);
  bool is_root = place.rank() == call.peer;
  if (!is_root)
    keep_sources(call);
  return reduction.for_each_piece([&](Range range, Range own) {
    if (is_root)
      reduction.keep(own);
    return reduction.give_to(call.peer, range);
  });
}

} // namespace tutti::runtime::algorithms
