// Which ranks are on which node, and the groups of hierarchical communication.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_COMMUNICATION_NODEGROUPS_H
#define TUTTI_PASSES_COMMUNICATION_NODEGROUPS_H

#include "dialects/collective/Collective.h"
#include "mlir/IR/BuiltinOps.h"

namespace tutti::communication {

/// An attribute of the module: how many ranks the launch put on each node.
inline constexpr llvm::StringLiteral kRanksPerNode = "collective.ranks_per_node";

/// Nodes with equally many ranks.
struct Topology {
  int64_t ranksPerNode;
  int64_t nodes;
  bool isGiven; ///< neighbouring ranks are a node, because the user says so; else as the launch
                ///< finds
};

/// From `given` ranks a node, or, if that is 0, from what the launch wrote on the module
/// (kRanksPerNode). Otherwise emits an error, as where the number of ranks is not known.
mlir::FailureOr<Topology> findTopology(mlir::ModuleOp module, int64_t given);

/// The ranks of this rank's node, and those of its number on all nodes.
struct NodeGroups {
  mlir::FlatSymbolRefAttr node, across;
  int64_t ranksPerNode, nodes;
};

/// The groups of the module with these members, of the dialect of `like`, declared behind the
/// others if they are missing. Nothing if that dialect has no such groups.
std::optional<NodeGroups> declareNodeGroups(mlir::ModuleOp module, const Topology &topology,
                                            mlir::Operation *like);

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_NODEGROUPS_H
