// What collective-choose may choose between.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PLANNING_ALTERNATIVES_H
#define TUTTI_PASSES_PLANNING_ALTERNATIVES_H

#include "lib/cost/Cluster.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tutti::planning {

/// A way to communicate.
struct Alternative {
  std::string name;      ///< for people: "buckets of 1 MiB, hierarchy"
  std::string strategy;  ///< a pass as "name{option=value ...}", or nothing
  std::string buckets;   ///< options of collective-fuse, or nothing: each alone
  std::string hierarchy; ///< ranks of a node, or nothing: flat
  bool overlaps = false;

  /// The passes that make it, in order, each as "name{option=value ...}".
  std::vector<std::string> passes() const;
};

/// What is left open, and what is given.
struct Question {
  std::string buckets, hierarchy, shardOptimizer; ///< as collective-choose has them
  bool overlaps = false;
};

/// All combinations, that which changes least first. `program` has `ranks` ranks.
std::vector<Alternative> alternativesFor(mlir::ModuleOp program, const Question &question,
                                         const cost::Cluster &cluster, int64_t ranks);

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_ALTERNATIVES_H
