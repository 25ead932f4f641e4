// All-reduce, by one of three ways (runtime/engine/schedules/Way.cpp has the rule): slices among
// few ranks and for rows that fit one piece, a tree for small rows, a chain for large ones. The
// bits are the same. Slices: steps: 2 a piece. Bytes sent: 2 * S * (N - 1) / N, as a ring sends;
// rank order costs nothing more. Messages: 2 * (N - 1) a piece.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/AllReduceWays.h"
#include "runtime/engine/algorithms/SlicedReduction.h"
#include "runtime/engine/schedules/Way.h"

namespace tutti::runtime::algorithms {

int32_t all_reduce_by_slices(const Place &place, const tutti_call &call) {
  SlicedReduction reduction(place, call);
  return reduction.for_each_piece([&](Range range, Range own) {
    // In place this overwrites sources of this piece, all of which have been sent by now.
    reduction.keep(own);
    return reduction.give_all(range);
  });
}

int32_t all_reduce(const Place &place, const tutti_call &call) {
  schedules::Row row = RowMemory(call).row();
  switch (schedules::way_of(place.size(), row)) {
  case schedules::Way::tree:
    return all_reduce_by_tree(place, call);
  case schedules::Way::chain:
    return all_reduce_by_chain(place, call, schedules::chunk_of(row));
  case schedules::Way::slices:
    break;
  }
  return all_reduce_by_slices(place, call);
}

} // namespace tutti::runtime::algorithms
