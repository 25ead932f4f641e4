// Counts the messages of the schedules that the algorithms carry out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/schedules/Traffic.h"

#include "runtime/engine/schedules/Chain.h"
#include "runtime/engine/schedules/Slices.h"
#include "runtime/engine/schedules/Tree.h"

namespace tutti::runtime::schedules {

template <typename Schedule> static Traffic count(const Schedule &schedule, const Row &row) {
  Traffic traffic;
  Step step;
  schedule.for_each_step(step, [&] {
    if (!step.moves.empty())
      traffic.steps = step.number + 1;
    for (const Move &move : step.moves) {
      traffic.messages += move.is_send;
      traffic.bytes += move.is_send ? move.bytes(row) : 0;
    }
    return 0;
  });
  return traffic;
}

Traffic traffic_of(Way way, int32_t rank, int32_t ranks, const Row &row) {
  switch (way) {
  case Way::tree:
    return count(TreeSchedule(rank, ranks, row.elements), row);
  case Way::chain:
    return count(ChainSchedule(links_of(rank, ranks, {}), row.elements, chunk_of(row)), row);
  case Way::slices:
    break;
  }
  return count(Slices(rank, ranks, row), row);
}

/// Ranks among which the busiest one is: the ends of a chain and a rank between them, the root of a
/// tree and its largest branch. Slices of some ranks are an element larger than those of others.
static std::vector<int32_t> candidates(int32_t ranks) {
  int32_t branch = 1;
  while (2 * branch < ranks)
    branch *= 2;
  return {0, ranks > 2 ? 1 : 0, ranks > 1 ? branch : 0, ranks - 1};
}

Traffic busiest_traffic_of(Way way, int32_t ranks, const Row &row) {
  Traffic most;
  for (int32_t rank : candidates(ranks)) {
    Traffic traffic = traffic_of(way, rank, ranks, row);
    most.steps = std::max(most.steps, traffic.steps);
    most.messages = std::max(most.messages, traffic.messages);
    most.bytes = std::max(most.bytes, traffic.bytes);
  }
  return most;
}

} // namespace tutti::runtime::schedules
