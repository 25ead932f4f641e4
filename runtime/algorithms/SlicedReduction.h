// What all generic reductions share: a bucket seen as one row is cut into as many slices as there
// are ranks; slice r of every rank travels to rank r, which reduces them in rank order. Steps: 1 a
// piece of the row. Bytes sent: S * (N - 1) / N.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ALGORITHMS_SLICEDREDUCTION_H
#define TUTTI_RUNTIME_ALGORITHMS_SLICEDREDUCTION_H

#include "runtime/algorithms/Exchange.h"
#include "runtime/core/Bucket.h"
#include "runtime/reduction/ReductionOrder.h"

namespace tutti::runtime::algorithms {

/// The reduction of a call's buckets, a piece of the row at a time, so that scratch memory stays
/// small.
class SlicedReduction {
public:
  SlicedReduction(const Place &place, const tutti_call &call);

  /// For each piece of the row: reduces it, then calls finish(range, own): `range` is the piece,
  /// `own` this rank's slice of it, whose reduction lies in reduced(). Stops at the first status
  /// that is not TUTTI_OK.
  template <typename Finish> int32_t for_each_piece(Finish finish) {
    for (int64_t begin = 0; begin < total; begin += piece) {
      Range range = {begin, begin + piece < total ? begin + piece : total};
      if (int32_t status = reduce_piece(range))
        return status;
      if (int32_t status = finish(range, slice_of(range, place.rank())))
        return status;
    }
    return TUTTI_OK;
  }

  Range slice_of(Range range, int32_t rank) const { return slice(range, rank, place.size(), 1); }
  const char *reduced() const { return own_slice.data(); }
  const Bucket &row() const { return bucket; }
  int64_t element_bytes() const { return bytes; }

  /// Puts the reduced slice `own` where it belongs in the destinations.
  void keep(Range own) const;

private:
  int32_t reduce_piece(Range range);

  const Place &place;
  const tutti_call &call;
  ReductionOrder order;
  Bucket bucket;
  int64_t bytes;
  int64_t total;
  int64_t piece;
  std::vector<char> received;  ///< this rank's slice of every rank, one behind the other
  std::vector<char> own_slice; ///< their reduction
};

} // namespace tutti::runtime::algorithms

#endif // TUTTI_RUNTIME_ALGORITHMS_SLICEDREDUCTION_H
