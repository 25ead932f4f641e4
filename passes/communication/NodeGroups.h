// Which ranks are on which node, and the groups of hierarchical communication.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_COMMUNICATION_NODEGROUPS_H
#define TUTTI_PASSES_COMMUNICATION_NODEGROUPS_H

#include "dialects/collective/Collective.h"
#include "lib/diagnostics/Refusal.h"
#include "mlir/IR/BuiltinOps.h"

namespace tutti::communication {

/// An attribute of the module: how many ranks the launch put on each node.
inline constexpr llvm::StringLiteral kRanksPerNode = "collective.ranks_per_node";

/// Nodes with equally many of the ranks that divide the batch: of all ranks, or, where neighbours
/// hold a model in parts, of those that hold the same.
struct Topology {
  int64_t ranksPerNode;
  int64_t nodes;
  bool isGiven; ///< neighbouring ranks are a node, because the user says so; else as the launch
                ///< finds
  int64_t parts = 1; ///< neighbours that hold a model: the ranks of a node lie so far apart
};

/// From `given` ranks a node, or, if that is 0, from what the launch wrote on the module
/// (kRanksPerNode). Otherwise emits an error, as where the number of ranks is not known.
mlir::FailureOr<Topology> findTopology(mlir::ModuleOp module, int64_t given);

/// Bytes of all of `inputs`, which are shaped; none if a shape is not known.
std::optional<int64_t> countBytes(mlir::TypeRange inputs);

/// Whether `op` is on the group of all ranks, or, where neighbours hold a model in parts, of those
/// that hold the same.
bool isOfBatch(collective::CollectiveOpInterface op);

/// Whether `op` is a reduction on these, of tensors, that may go in levels as far as its kind goes.
bool isReductionOfBatch(collective::BucketOpInterface op);

/// Why an all_reduce of inputs of these types, not started apart, stays flat where there are
/// several nodes of several ranks; nothing if parts of it may go across nodes. `minBytes` is that
/// of collective-hierarchy.
Refusal whyFlat(mlir::TypeRange inputs, Reduction reduction, const Topology &topology,
                int64_t minBytes);

/// A node of `ranksPerNode` scatters an input of `type` as a row that ends in zeros: the length of
/// that row. Nothing if the ranks divide its first dimension: then it is scattered as it is.
std::optional<int64_t> rowOfNode(mlir::RankedTensorType type, int64_t ranksPerNode);

/// The ranks of a topology on this rank's node, and those of its number on all nodes.
struct NodeGroups {
  mlir::FlatSymbolRefAttr node, across;
  int64_t ranksPerNode, nodes;
};

/// The groups of the module with these members, of the dialect of `like`, declared after the
/// others if they are missing. Nothing if that dialect has no such groups.
std::optional<NodeGroups> declareNodeGroups(mlir::ModuleOp module, const Topology &topology,
                                            mlir::Operation *like);

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_NODEGROUPS_H
