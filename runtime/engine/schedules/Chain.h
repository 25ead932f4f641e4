// A pipelined chain: each chunk goes from rank to rank, each adds what it gave after what came,
// and the last one sends the result back along the chain. The order is that of ranks, and a rank
// speaks to its neighbours only. Steps of N ranks and C chunks: 2 N + C - 3.
//
// By nodes every node has a chain of its own; their last ranks form the chain across nodes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_SCHEDULES_CHAIN_H
#define TUTTI_RUNTIME_ENGINE_SCHEDULES_CHAIN_H

#include "runtime/engine/schedules/Schedule.h"

#include <array>

namespace tutti::runtime::schedules {

/// The members of each node, in rank order. Less than two nodes: all ranks are one chain.
using Nodes = std::vector<std::vector<int32_t>>;

/// The place of a rank in the chain; -1 where there is no such neighbour.
struct ChainLinks {
  int32_t before = -1; ///< gives the partial sum over the first ranks (of the node)
  int32_t across = -1; ///< gives the partial sum over the first nodes
  int32_t after = -1;  ///< gets the partial sum; none: here it becomes the result
  int32_t result_from = -1;
  std::array<int32_t, 2> result_to = {-1, -1};
  bool ends_node = false; ///< here the sum of one node of several is complete
  int64_t up = 0;         ///< step in which the first partial sum goes on
  int64_t down = 0;       ///< step in which the first result goes on
};

ChainLinks links_of(int32_t rank, int32_t ranks, const Nodes &nodes);

/// Elements of a chunk of `row`: 256 KiB, whatever the number of ranks.
int64_t chunk_of(const Row &row);

class ChainSchedule {
public:
  ChainSchedule(const ChainLinks &links, int64_t elements, int64_t chunk)
      : links(links), elements(elements), chunk(chunk), chunks((elements + chunk - 1) / chunk) {}

  /// Fills `step` and calls use(), in order, until a status is not 0.
  template <typename Use> int32_t for_each_step(Step &step, Use use) const {
    for (int64_t number = links.up - 1; number < links.down + chunks; ++number)
      if (fill(step, number); !step.is_empty())
        if (int32_t status = use())
          return status;
    return 0;
  }

private:
  void fill(Step &step, int64_t number) const;
  Range chunk_at(int64_t index) const;

  ChainLinks links;
  int64_t elements, chunk, chunks;
};

} // namespace tutti::runtime::schedules

#endif // TUTTI_RUNTIME_ENGINE_SCHEDULES_CHAIN_H
