// The groups of a program, numbered and resolved.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/Groups.h"

#include "dialects/collective/Collective.h"
#include "tutti/types.h"

using namespace mlir;
using namespace tutti::collective;
using namespace tutti::program;

llvm::MapVector<StringAttr, GroupNumber> tutti::program::numberGroups(ModuleOp module) {
  llvm::MapVector<StringAttr, GroupNumber> numbers;
  int64_t next = TUTTI_GROUP_WORLD + 1;
  for (auto group : module.getOps<GroupOp>()) {
    int64_t number = group.getMembers() ? next++ : TUTTI_GROUP_WORLD;
    numbers[group.getSymNameAttr()] = {number, group.getSetSize()};
  }
  return numbers;
}

static StringRef kindOf(Attribute members) {
  if (isa<PerNodeAttr>(members))
    return "per_node";
  if (isa<AcrossNodesAttr>(members))
    return "across_nodes";
  return isa<AtRunTimeAttr>(members) ? "at_run_time" : "ranks";
}

/// The sets of a group in the order of their first ranks.
static LogicalResult resolveSets(GroupOp group, manifest::Group &entry) {
  if (auto listed = dyn_cast<RanksAttr>(group.getMembersAttr())) {
    for (DenseI64ArrayAttr set : listed.getSets())
      entry.sets.emplace_back(set.asArrayRef());
    return success();
  }
  std::optional<int64_t> world = group.getWorldSize();
  if (!world)
    return group.emitOpError("cannot be compiled: the number of ranks is not known; declare a "
                             "collective.group without members and its size");
  for (int64_t rank = 0; rank < *world; ++rank) {
    SmallVector<int64_t> set = *group.getSetOf(rank);
    if (!set.empty() && set.front() == rank)
      entry.sets.emplace_back(set.begin(), set.end());
  }
  return success();
}

FailureOr<std::vector<manifest::Group>> tutti::program::extractGroups(ModuleOp module) {
  std::vector<manifest::Group> groups;
  llvm::MapVector<StringAttr, GroupNumber> numbers = numberGroups(module);
  for (auto group : module.getOps<GroupOp>()) {
    if (!group.getMembers())
      continue;
    manifest::Group entry;
    entry.number = numbers[group.getSymNameAttr()].number;
    entry.name = group.getSymName().str();
    entry.members = kindOf(group.getMembersAttr()).str();
    if (group.getSize())
      entry.size = *group.getSize();
    if (entry.members == "ranks" && failed(resolveSets(group, entry)))
      return failure();
    groups.push_back(std::move(entry));
  }
  return groups;
}

FlatSymbolRefAttr tutti::program::findOrDeclareGroup(ModuleOp module, StringRef name,
                                                     const std::vector<std::vector<int64_t>> &sets,
                                                     Operation *like) {
  if (!isa_and_nonnull<CollectiveDialect>(like->getDialect()))
    return {};
  MLIRContext *context = module.getContext();
  SmallVector<DenseI64ArrayAttr> listed;
  for (const std::vector<int64_t> &set : sets)
    listed.push_back(DenseI64ArrayAttr::get(context, set));
  auto members = RanksAttr::get(context, listed);
  GroupOp last;
  for (auto group : module.getOps<GroupOp>()) {
    last = group;
    if (group.getMembersAttr() == members)
      return FlatSymbolRefAttr::get(group);
  }
  if (!last)
    return {};
  OpBuilder builder(context);
  builder.setInsertionPointAfter(last);
  auto made = GroupOp::create(builder, last.getLoc(), name, members, IntegerAttr());
  SymbolTable(module).insert(made, std::next(Block::iterator(last)));
  return FlatSymbolRefAttr::get(made);
}
