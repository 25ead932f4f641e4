// At level k ranks whose lowest bits are 2^k give to, or get from, the rank 2^k before them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/schedules/Tree.h"

namespace tutti::runtime::schedules {

TreeSchedule::TreeSchedule(int32_t rank, int32_t ranks, int64_t elements)
    : rank(rank), ranks(ranks), elements(elements) {
  while ((int64_t(1) << levels) < ranks)
    ++levels;
  while (branch < ranks && rank % (2 * branch) == 0)
    branch *= 2;
}

void TreeSchedule::fill(Step &step, int64_t number) const {
  bool is_way_back = number >= levels;
  int32_t reach = int32_t(1) << (is_way_back ? 2 * levels - 1 - number : number);
  step.begin(number);
  if (rank % reach != 0) // not a knot of this level
    return;
  bool is_child = rank % (2 * reach) != 0;
  int32_t child = is_child ? rank : rank + reach;
  if (child >= ranks)
    child = -1;
  int32_t peer = child < 0 ? -1 : is_child ? rank - reach : child;
  if (is_way_back)
    step.add(peer, !is_child, Lane::results, {0, elements});
  else
    step.add(peer, is_child, Lane::rows, {child, std::min(child + reach, ranks)});
  if (rank == 0 && number == levels - 1)
    step.ready = {0, elements};
}

} // namespace tutti::runtime::schedules
