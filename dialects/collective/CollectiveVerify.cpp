// Verifiers of groups and of the operations on them. Each error cites the constraint of the .td
// files that it enforces, spelled <operation>_c<number>.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Violation.h"
#include "dialects/interfaces/StrayAttributes.h"

using namespace mlir;
using namespace tutti::collective;

//===----------------------------------------------------------------------===//
// The declaration
//===----------------------------------------------------------------------===//

/// C2: there is one world.
static LogicalResult verifyOneWorld(GroupOp op) {
  if (op.getMembers() || !op.getSize())
    return success();
  for (auto other : op->getParentRegion()->getOps<GroupOp>())
    if (!other.getMembers() && other.getSize() && other.getSize() != op.getSize())
      return violates(op, 2) << "the world has " << *op.getSize() << " ranks here, but "
                             << *other.getSize() << " as @" << other.getSymName();
  return success();
}

/// C3 and C4: world, members and size agree.
static LogicalResult verifyMembers(GroupOp op) {
  std::optional<MembersAttrInterface> members = op.getMembers();
  if (!members)
    return success();
  std::optional<int64_t> world = op.getWorldSize();
  if (world && failed(members->verifyMembers([&] { return violates(op, 3); }, *world)))
    return failure();
  std::optional<int64_t> told = members->getSetSize(world);
  if (op.getSize() && told && *told != static_cast<int64_t>(*op.getSize()))
    return violates(op, 4) << "the size is " << *op.getSize() << ", but the members make sets of "
                           << *told;
  return success();
}

LogicalResult GroupOp::verify() {
  if (getSize() && static_cast<int64_t>(*getSize()) < 1)
    return violates(*this, 1) << "a group has at least one rank, not "
                              << static_cast<int64_t>(*getSize());
  if (auto stray = tutti::findStrayAttribute(*this)) // a family misspelt would be the world
    return tutti::tellStrayAttribute(violates(*this, 5), *this, *stray);
  if (failed(verifyOneWorld(*this)))
    return failure();
  return verifyMembers(*this);
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

LogicalResult tutti::collective::verifyGroup(Operation *op, FlatSymbolRefAttr group,
                                             SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<GroupOp>(op, group))
    return violates(op, 1) << group << " names no collective.group";
  return success();
}

LogicalResult tutti::collective::verifyRoot(Operation *op, int64_t root, FlatSymbolRefAttr group,
                                            int constraint) {
  if (root < 0)
    return violates(op, constraint) << "root " << root << " is not a rank";
  std::optional<int64_t> size = lookupGroupSize(op, group);
  if (size && root >= *size)
    return violates(op, constraint)
           << "root " << root << " is not a rank of " << group << ", which has " << *size;
  return success();
}

LogicalResult RankOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, getGroupAttr(), symbols);
}

LogicalResult SizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, getGroupAttr(), symbols);
}

LogicalResult BarrierOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, getGroupAttr(), symbols);
}

LogicalResult TranslateRankOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyGroup(*this, getFromAttr(), symbols)))
    return failure();
  return verifyGroup(*this, getToAttr(), symbols);
}

//===----------------------------------------------------------------------===//
// Groups made at run time
//===----------------------------------------------------------------------===//

/// C1, and C2: the group is one that the program makes.
static LogicalResult verifyAtRunTime(Operation *op, FlatSymbolRefAttr group,
                                     SymbolTableCollection &symbols) {
  if (failed(verifyGroup(op, group, symbols)))
    return failure();
  auto declared = symbols.lookupNearestSymbolFrom<GroupOp>(op, group);
  if (!isa_and_nonnull<AtRunTimeAttr>(declared.getMembersAttr()))
    return violates(op, 2) << "the members of " << group
                           << " are declared; only those of #collective.at_run_time change";
  return success();
}

/// C4: what is constant among the ranks makes sense.
static LogicalResult verifyConstantRanks(CreateGroupOp op) {
  std::optional<int64_t> world = lookupWorldSize(op);
  llvm::SmallDenseSet<int64_t> seen;
  for (Value operand : op.getRanks()) {
    std::optional<int64_t> rank = getConstantIndex(operand);
    if (!rank)
      continue;
    if (*rank < 0)
      return violates(op, 4) << *rank << " is not a rank";
    if (world && *rank >= *world)
      return violates(op, 4) << "rank " << *rank << " is beyond the world, which has " << *world
                             << " ranks";
    if (!seen.insert(*rank).second)
      return violates(op, 4) << "rank " << *rank << " is given twice";
  }
  return success();
}

LogicalResult CreateGroupOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyAtRunTime(*this, getGroupAttr(), symbols)))
    return failure();
  if (getRanks().empty())
    return violates(*this, 3) << "a group has at least one rank";
  std::optional<int64_t> size = lookupGroupSize(*this, getGroupAttr());
  if (size && *size != static_cast<int64_t>(getRanks().size()))
    return violates(*this, 3) << getGroupAttr() << " is declared with " << *size
                              << " ranks, but made of " << getRanks().size();
  return verifyConstantRanks(*this);
}

LogicalResult DestroyGroupOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAtRunTime(*this, getGroupAttr(), symbols);
}
