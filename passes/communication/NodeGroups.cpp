// The topology of a launch, and groups that follow it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/communication/NodeGroups.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;

static std::optional<int64_t> findWorldSize(ModuleOp module) {
  for (auto group : module.getOps<GroupOp>())
    if (std::optional<int64_t> size = group.getWorldSize())
      return size;
  return std::nullopt;
}

FailureOr<Topology> communication::findTopology(ModuleOp module, int64_t given) {
  std::optional<int64_t> ranks = findWorldSize(module);
  if (!ranks)
    return mlir::emitError(module.getLoc())
           << "collective-hierarchy needs the number of ranks: run specialize-world first, or let "
              "--distribute=\"...\" put it off until launch";
  auto found = module->getAttrOfType<IntegerAttr>(kRanksPerNode);
  if (given < 0 || (given == 0 && !found && *ranks > 1))
    return mlir::emitError(module.getLoc())
           << "collective-hierarchy needs the number of ranks on each node: give ranks-per-node=L, "
              "or launch with dist-run, which finds it";
  int64_t local = given > 0 ? given : found ? found.getInt() : 1;
  if (*ranks % local != 0)
    return mlir::emitError(module.getLoc()) << "nodes of " << local << " ranks do not make up "
                                            << *ranks << " ranks: hierarchical communication needs "
                                            << "equally many ranks on each node";
  return Topology{local, *ranks / local, given > 0};
}

/// The group of `module` with these members, of sets of `size` ranks if that is not null.
static FlatSymbolRefAttr findOrDeclare(ModuleOp module, StringRef name,
                                       MembersAttrInterface members, IntegerAttr size) {
  Operation *last = nullptr;
  for (auto group : module.getOps<GroupOp>()) {
    last = group;
    if (group.getMembersAttr() == members && group.getSizeAttr() == size)
      return FlatSymbolRefAttr::get(group.getSymNameAttr());
  }
  OpBuilder builder(module.getContext());
  builder.setInsertionPointAfter(last);
  auto made = GroupOp::create(builder, last->getLoc(), name, members, size);
  SymbolTable(module).insert(made, std::next(Block::iterator(last))); // a name of its own
  return FlatSymbolRefAttr::get(made.getSymNameAttr());
}

NodeGroups communication::declareNodeGroups(ModuleOp module, const Topology &topology) {
  MLIRContext *context = module.getContext();
  MembersAttrInterface node = PerNodeAttr::get(context), across = AcrossNodesAttr::get(context);
  IntegerAttr nodeSize, acrossSize;
  if (topology.isGiven) {
    node = BlocksAttr::get(context, topology.ranksPerNode);
    across = StridedAttr::get(context, topology.ranksPerNode);
  } else { // what the program relies on; its start checks it
    Builder builder(context);
    nodeSize = builder.getI64IntegerAttr(topology.ranksPerNode);
    acrossSize = builder.getI64IntegerAttr(topology.nodes);
  }
  return {findOrDeclare(module, "node", node, nodeSize),
          findOrDeclare(module, "across_nodes", across, acrossSize), topology.ranksPerNode,
          topology.nodes};
}
