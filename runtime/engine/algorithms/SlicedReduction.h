// What all generic reductions share: a bucket seen as one row is cut into as many slices as there
// are ranks; slice r of every rank travels to rank r, which reduces them in rank order. Steps: 1 a
// piece of the row. Bytes sent: S * (N - 1) / N.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_ALGORITHMS_SLICEDREDUCTION_H
#define TUTTI_RUNTIME_ENGINE_ALGORITHMS_SLICEDREDUCTION_H

#include "runtime/engine/algorithms/RowMemory.h"
#include "runtime/engine/reduction/ReductionOrder.h"
#include "runtime/engine/schedules/Slices.h"

namespace tutti::runtime::algorithms {

/// The reduction of a call's buckets, a piece of the row at a time, so that scratch memory stays
/// small.
class SlicedReduction {
public:
  SlicedReduction(const Place &place, const tutti_call &call);

  /// For each piece of the row: reduces it, then calls finish(range, own): `range` is the piece,
  /// `own` this rank's slice of it, which is reduced. Stops at the first status that is not
  /// TUTTI_OK.
  template <typename Finish> int32_t for_each_piece(Finish finish) {
    return slices.for_each_piece([&](Range range) {
      int32_t status = reduce_piece(range);
      return status ? status : finish(range, slices.slice_of(range, place.rank()));
    });
  }

  /// Puts the reduced slice `own` where it belongs in the destinations.
  void keep(Range own) const { memory.write(own, own_slice.data()); }
  /// Gives the reduced slices of `range` to the destinations of all, or of `root`.
  int32_t give_all(Range range);
  int32_t give_to(int32_t root, Range range);

private:
  int32_t reduce_piece(Range range);
  int32_t give();

  const Place &place;
  const tutti_call &call;
  ReductionOrder order;
  RowMemory memory;
  schedules::Slices slices;
  Exchange exchange;
  schedules::Step step;
  int64_t slice_bytes;          ///< at most
  ScratchArray<char> received;  ///< this rank's slice of every rank, one after the other
  ScratchArray<char> own_slice; ///< their reduction
  ScratchArray<const void *> sources;
};

} // namespace tutti::runtime::algorithms

#endif // TUTTI_RUNTIME_ENGINE_ALGORITHMS_SLICEDREDUCTION_H
