// A sliced reduction: the row is cut into as many slices as there are ranks; slice r of every rank
// goes to rank r, which adds them up and gives the sum to all others. Two steps a piece of the row,
// 2 (N - 1) messages of a rank in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_SCHEDULES_SLICES_H
#define TUTTI_RUNTIME_ENGINE_SCHEDULES_SLICES_H

#include "runtime/engine/schedules/Schedule.h"

namespace tutti::runtime::schedules {

/// One rank's part of it.
class Slices {
public:
  Slices(int32_t rank, int32_t ranks, const Row &row);

  int64_t piece_elements() const { return piece; }
  Range slice_of(Range range, int32_t member) const { return slice(range, member, ranks, 1); }

  /// Fills a step in which every rank gives each its slice of `range`;
  void collect(Step &step, Range range) const;
  /// gives all others its sum;
  void give(Step &step, Range range) const;
  /// gives `root` its sum.
  void give_to(Step &step, int32_t root, Range range) const;

  /// Calls use(range) for each piece of the row, until a status is not 0.
  template <typename Use> int32_t for_each_piece(Use use) const {
    for (int64_t begin = 0; begin < elements; begin += piece)
      if (int32_t status = use(Range{begin, std::min(elements, begin + piece)}))
        return status;
    return 0;
  }
  /// Fills `step` and calls use(), in order, until a status is not 0.
  template <typename Use> int32_t for_each_step(Step &step, Use use) const {
    return for_each_piece([&](Range range) {
      collect(step, range);
      if (int32_t status = use())
        return status;
      give(step, range);
      return use();
    });
  }

private:
  int32_t rank, ranks;
  int64_t elements;
  int64_t piece; ///< elements
};

} // namespace tutti::runtime::schedules

#endif // TUTTI_RUNTIME_ENGINE_SCHEDULES_SLICES_H
