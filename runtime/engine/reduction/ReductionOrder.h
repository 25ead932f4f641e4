// The order in which the values of a communicator's members are reduced.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_REDUCTION_REDUCTIONORDER_H
#define TUTTI_RUNTIME_ENGINE_REDUCTION_REDUCTIONORDER_H

#include "runtime/engine/core/Transport.h"
#include "tutti/context.h"

#include <vector>

namespace tutti::runtime {

/// In rank order; or, where the context asks for it, the members of each node in rank order and
/// then the nodes, see tutti_reduction_order. The communicator outlives it.
class ReductionOrder {
public:
  ReductionOrder(const tutti_context &context, const Communicator &communicator);

  /// Whether that differs from rank order.
  bool spans_nodes() const { return nodes.size() > 1; }
  /// The members of each node, in rank order; less than two nodes: rank order.
  const std::vector<std::vector<int32_t>> &by_node() const { return nodes; }

  /// destination[i] = the reduction over members of sources[member][i]. The destination may be one
  /// of the sources, no other overlap is allowed.
  void reduce(int32_t type, int32_t reduction, const void *const *sources, void *destination,
              int64_t elements) const;

private:
  void reduce_block(int32_t type, int32_t reduction, const void *const *sources, int64_t at,
                    char *partial, const void **given, void *destination, int64_t elements) const;

  const Communicator &communicator;
  const std::vector<std::vector<int32_t>> &nodes; ///< members by node; at most one: rank order
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_REDUCTION_REDUCTIONORDER_H
