// The topology of a launch, and groups that follow it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/communication/NodeGroups.h"

#include "dialects/interfaces/ranks/Communication.h"
#include "lib/program/Groups.h"
#include "lib/program/MeshGroups.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;

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
  int64_t parts = program::partsOf(module);
  if (local % parts == 0)
    return Topology{local / parts, *ranks / local, given > 0, parts};
  if (given > 0)
    return mlir::emitError(module.getLoc())
           << "nodes of " << given << " ranks do not hold whole groups of the " << parts
           << " neighbours of mesh=tp:" << parts << ": give hierarchy a multiple of " << parts
           << ", or hierarchy=none";
  return Topology{1, *ranks / parts, false, parts};
}

/// The group of `module` of this form and of the dialect of `like`, declared if there is none; null
/// if the dialect has no such groups.
static FlatSymbolRefAttr findOrDeclare(ModuleOp module, StringRef name, const GroupForm &form,
                                       Operation *like) {
  Operation *last = nullptr;
  for (auto group : module.getOps<GroupOpInterface>()) {
    last = group;
    if (group->getDialect() == like->getDialect() && group.getGroupForm() == form)
      return FlatSymbolRefAttr::get(group);
  }
  OpBuilder builder(module.getContext());
  builder.setInsertionPointAfter(last);
  Operation *made = getFactory(like)->createGroup(builder, last->getLoc(), name, form);
  if (!made)
    return {};
  SymbolTable(module).insert(made, std::next(Block::iterator(last))); // a name of its own
  return FlatSymbolRefAttr::get(made);
}

/// Of those that hold the same parts, the ranks of each node, one set after the other.
static FlatSymbolRefAttr findOrDeclareListed(ModuleOp module, const Topology &topology,
                                             Operation *like) {
  std::vector<std::vector<int64_t>> sets;
  for (int64_t node = 0; node < topology.nodes; ++node)
    for (int64_t part = 0; part < topology.parts; ++part) {
      std::vector<int64_t> &set = sets.emplace_back();
      for (int64_t i = 0; i < topology.ranksPerNode; ++i)
        set.push_back((node * topology.ranksPerNode + i) * topology.parts + part);
    }
  return program::findOrDeclareGroup(module, "node", sets, like);
}

std::optional<NodeGroups>
communication::declareNodeGroups(ModuleOp module, const Topology &topology, Operation *like) {
  if (!getFactory(like))
    return std::nullopt;
  if (topology.parts > 1) {
    int64_t ranksOfNode = topology.ranksPerNode * topology.parts;
    NodeGroups groups = {
        findOrDeclareListed(module, topology, like),
        findOrDeclare(module, "across_nodes", {GroupForm::Strided, ranksOfNode}, like),
        topology.ranksPerNode, topology.nodes};
    return groups.node && groups.across ? std::optional(groups) : std::nullopt;
  }
  // What the program relies on, its start checks.
  GroupForm node = {GroupForm::PerNode, 0, topology.ranksPerNode};
  GroupForm across = {GroupForm::AcrossNodes, 0, topology.nodes};
  if (topology.isGiven) {
    node = {GroupForm::Blocks, topology.ranksPerNode};
    across = {GroupForm::Strided, topology.ranksPerNode};
  }
  NodeGroups groups = {findOrDeclare(module, "node", node, like),
                       findOrDeclare(module, "across_nodes", across, like), topology.ranksPerNode,
                       topology.nodes};
  return groups.node && groups.across ? std::optional(groups) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// What goes in levels
//===----------------------------------------------------------------------===//

/// Bytes of all inputs; none if a shape is not known.
std::optional<int64_t> communication::countBytes(TypeRange inputs) {
  int64_t bytes = 0;
  for (Type input : inputs) {
    auto type = cast<ShapedType>(input);
    if (!type.hasStaticShape())
      return std::nullopt;
    bytes += type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return bytes;
}

/// Whether the element type has `number` exactly.
static bool hasExactly(Type element, int64_t number) {
  auto type = dyn_cast<FloatType>(element);
  llvm::APFloat value(static_cast<double>(number));
  bool losesInfo = false;
  if (type)
    value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return type && !losesInfo;
}

bool communication::isOfBatch(CollectiveOpInterface op) {
  GroupOpInterface group = findGroup(op, op.getGroupAttr());
  int64_t parts = program::partsOf(op->getParentOfType<ModuleOp>());
  return parts == 1 ? group && group.isOfWholeWorld() : program::isOfData(group, parts);
}

bool communication::isReductionOfBatch(BucketOpInterface op) {
  return isKind(op, {CommunicationKind::AllReduce}) && op.getDestinations().empty() &&
         isOfBatch(op);
}

Refusal communication::whyFlat(TypeRange inputs, Reduction reduction, const Topology &topology,
                               int64_t minBytes) {
  std::optional<int64_t> bytes = countBytes(inputs);
  if (!bytes)
    return "the shape of an input is not known";
  if (*bytes < minBytes)
    return "its " + std::to_string(*bytes) +
           " bytes are fewer than min-bytes=" + std::to_string(minBytes);
  int64_t ranks = topology.ranksPerNode * topology.nodes;
  bool isExact = llvm::all_of(
      inputs, [&](Type input) { return hasExactly(getElementTypeOrSelf(input), ranks); });
  if (reduction == Reduction::Mean && !isExact)
    return "its element type does not have the number of ranks exactly, by which the mean divides";
  return {};
}

std::optional<int64_t> communication::rowOfNode(RankedTensorType type, int64_t ranksPerNode) {
  if (type.getRank() > 0 && type.getDimSize(0) % ranksPerNode == 0)
    return std::nullopt;
  return llvm::alignTo(type.getNumElements(), ranksPerNode);
}
