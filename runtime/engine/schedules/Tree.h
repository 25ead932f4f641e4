// A binomial tree for small rows: the rows of all ranks are collected at rank 0, which adds them up
// in any order that is asked for, and the result goes back. Steps and messages of the busiest rank:
// 2 log2(N) and log2(N).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_SCHEDULES_TREE_H
#define TUTTI_RUNTIME_ENGINE_SCHEDULES_TREE_H

#include "runtime/engine/schedules/Schedule.h"

#include <algorithm>

namespace tutti::runtime::schedules {

class TreeSchedule {
public:
  TreeSchedule(int32_t rank, int32_t ranks, int64_t elements);

  /// The members whose rows come to this rank, its own included: from the rank itself on.
  int32_t members() const { return std::min(branch, ranks - rank); }

  /// Fills `step` and calls use(), in order, until a status is not 0.
  template <typename Use> int32_t for_each_step(Step &step, Use use) const {
    for (int64_t number = 0; number < 2 * levels; ++number)
      if (fill(step, number); !step.is_empty())
        if (int32_t status = use())
          return status;
    return 0;
  }

private:
  void fill(Step &step, int64_t number) const;

  int32_t rank, ranks;
  int64_t elements;
  int64_t levels = 0;
  int32_t branch = 1; ///< ranks below this one in a full tree, itself included
};

} // namespace tutti::runtime::schedules

#endif // TUTTI_RUNTIME_ENGINE_SCHEDULES_TREE_H
