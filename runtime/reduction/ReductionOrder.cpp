// Reduction by nodes, a block at a time, so that what each node contributes stays in the cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/reduction/ReductionOrder.h"

#include "runtime/core/Context.h"
#include "runtime/reduction/Reduction.h"
#include "runtime/support/Names.h"

#include <algorithm>
#include <map>

namespace tutti::runtime {

constexpr int64_t block_elements = 1024;

ReductionOrder::ReductionOrder(const tutti_context &context, const Communicator &communicator)
    : members(communicator.size) {
  if (context.reduction_order != TUTTI_ORDER_NODES || context.node_of_rank.empty())
    return;
  std::map<int64_t, std::vector<int32_t>> by_node; // nodes are numbered by their first ranks
  for (int32_t member = 0; member < communicator.size; ++member)
    by_node[context.node_of_rank[communicator.world_ranks[member]]].push_back(member);
  for (auto &[node, ranks] : by_node)
    nodes.push_back(std::move(ranks));
}

void ReductionOrder::reduce(int32_t type, int32_t reduction, const void *const *sources,
                            void *destination, int64_t elements) const {
  if (!spans_nodes())
    return reduce_in_order(type, reduction, sources, members, &destination, 1, elements);
  int64_t bytes = type_bytes(type);
  std::vector<char> partial(nodes.size() * block_elements * bytes);
  for (int64_t begin = 0; begin < elements; begin += block_elements)
    reduce_block(type, reduction, sources, begin * bytes, partial,
                 static_cast<char *>(destination) + begin * bytes,
                 std::min(block_elements, elements - begin));
}

void ReductionOrder::reduce_block(int32_t type, int32_t reduction, const void *const *sources,
                                  int64_t at, std::vector<char> &partial, void *destination,
                                  int64_t elements) const {
  int32_t step = reduction == TUTTI_MEAN ? int32_t(TUTTI_SUM) : reduction;
  std::vector<const void *> given, reduced;
  for (const std::vector<int32_t> &node : nodes) {
    given.clear();
    for (int32_t member : node)
      given.push_back(static_cast<const char *>(sources[member]) + at);
    void *own = partial.data() + partial.size() / nodes.size() * reduced.size();
    reduce_in_order(type, step, given.data(), int64_t(given.size()), &own, 1, elements);
    reduced.push_back(own);
  }
  reduce_in_order(type, step, reduced.data(), int64_t(reduced.size()), &destination, 1, elements);
  if (reduction == TUTTI_MEAN)
    divide_all(type, destination, members, elements);
}

} // namespace tutti::runtime
