// Reduction by nodes, a block at a time, so that what each node contributes stays in the cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/reduction/ReductionOrder.h"

#include "runtime/engine/core/Context.h"
#include "runtime/engine/reduction/Reduction.h"
#include "runtime/support/Names.h"

#include <algorithm>

namespace tutti::runtime {

constexpr int64_t block_elements = 1024;

static const std::vector<std::vector<int32_t>> &nodes_of(const tutti_context &context,
                                                         const Communicator &communicator) {
  static const std::vector<std::vector<int32_t>> none;
  bool is_by_node = context.reduction_order == TUTTI_ORDER_NODES && !context.node_of_rank.empty();
  return is_by_node ? communicator.members_by_node(context.node_of_rank) : none;
}

ReductionOrder::ReductionOrder(const tutti_context &context, const Communicator &communicator)
    : communicator(communicator), nodes(nodes_of(context, communicator)) {}

void ReductionOrder::reduce(int32_t type, int32_t reduction, const void *const *sources,
                            void *destination, int64_t elements) const {
  int64_t members = communicator.size;
  if (!spans_nodes())
    return reduce_in_order(type, reduction, sources, members, &destination, 1, elements);
  int64_t bytes = type_bytes(type);
  ScratchArray<char> partial(*communicator.scratch, nodes.size() * size_t(block_elements * bytes));
  ScratchArray<const void *> given(*communicator.scratch, size_t(members) + nodes.size());
  for (int64_t begin = 0; begin < elements; begin += block_elements)
    reduce_block(type, reduction, sources, begin * bytes, partial.data(), given.data(),
                 static_cast<char *>(destination) + begin * bytes,
                 std::min(block_elements, elements - begin));
}

/// `given` has room for the sources of a node, and for what each node gives, after all members.
void ReductionOrder::reduce_block(int32_t type, int32_t reduction, const void *const *sources,
                                  int64_t at, char *partial, const void **given, void *destination,
                                  int64_t elements) const {
  int32_t step = reduction == TUTTI_MEAN ? int32_t(TUTTI_SUM) : reduction;
  const void **reduced = given + communicator.size;
  for (size_t node = 0; node < nodes.size(); ++node) {
    const std::vector<int32_t> &ranks = nodes[node];
    for (size_t i = 0; i < ranks.size(); ++i)
      given[i] = static_cast<const char *>(sources[ranks[i]]) + at;
    void *own = partial + int64_t(node) * block_elements * type_bytes(type);
    reduce_in_order(type, step, given, int64_t(ranks.size()), &own, 1, elements);
    reduced[node] = own;
  }
  reduce_in_order(type, step, reduced, int64_t(nodes.size()), &destination, 1, elements);
  if (reduction == TUTTI_MEAN)
    divide_all(type, destination, communicator.size, elements);
}

} // namespace tutti::runtime
