// Finding, declaring and writing groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/stablehlo/ReplicaGroups.h"

#include "lib/stablehlo/Ops.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

ReplicaGroups::ReplicaGroups(ModuleOp module, int64_t replicas)
    : module(module), symbols(module), replicas(replicas) {}

FlatSymbolRefAttr ReplicaGroups::declare(StringRef name, collective::MembersAttrInterface members,
                                         int64_t size) {
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  for (auto group : module.getOps<collective::GroupOp>())
    builder.setInsertionPointAfter(group);
  auto group = collective::GroupOp::create(builder, module.getLoc(), name, members,
                                           size ? builder.getI64IntegerAttr(size) : IntegerAttr());
  symbols.insert(group, builder.getInsertionPoint());
  return FlatSymbolRefAttr::get(group);
}

FlatSymbolRefAttr ReplicaGroups::getWorld() {
  for (auto group : module.getOps<collective::GroupOp>())
    if (!group.getMembers())
      return FlatSymbolRefAttr::get(group);
  return declare("world", {}, replicas);
}

/// Whether `sets` are all replicas in order.
static bool isWorld(const Sets &sets, int64_t replicas) {
  return sets.size() == 1 && static_cast<int64_t>(sets.front().size()) == replicas &&
         llvm::is_sorted(sets.front());
}

FlatSymbolRefAttr ReplicaGroups::get(const Sets &sets) {
  FlatSymbolRefAttr world = getWorld(); // tells the other groups how many ranks there are
  if (sets.empty() || isWorld(sets, replicas))
    return world;
  MLIRContext *context = module.getContext();
  auto lists = llvm::map_to_vector(
      sets, [&](ArrayRef<int64_t> set) { return DenseI64ArrayAttr::get(context, set); });
  auto members = collective::RanksAttr::get(context, lists);
  for (auto group : module.getOps<collective::GroupOp>())
    if (group.getMembers() == members)
      return FlatSymbolRefAttr::get(group);
  return declare("replicas", members, 0);
}

FailureOr<Sets> stablehlo::readReplicaGroups(Operation *op, int64_t replicas) {
  auto groups = op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
  if (!groups || groups.getType().getRank() != 2)
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' has replica_groups "
           << (op->getAttr("replica_groups") ? "of another form" : "missing")
           << "; expected lists of replicas such as dense<[[0, 1]]> : tensor<1x2xi64>";
  int64_t length = groups.getType().getDimSize(1);
  SmallVector<int64_t> ids = getIntegers(op, "replica_groups");
  Sets sets;
  llvm::DenseSet<int64_t> seen;
  for (auto [index, id] : llvm::enumerate(ids)) {
    if (index % length == 0)
      sets.emplace_back();
    if (id == -1)
      continue;
    if (id < 0 || (replicas && id >= replicas) || !seen.insert(id).second)
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' names replica " << id
             << " in replica_groups, which it names twice or which is not among " << replicas;
    sets.back().push_back(id);
  }
  return sets;
}

int64_t stablehlo::countReplicas(ModuleOp module) {
  int64_t processes = 1, found = 0;
  for (StringRef name : {"mhlo.num_replicas", "mhlo.num_partitions"})
    if (auto count = module->getAttrOfType<IntegerAttr>(name))
      processes *= count.getInt();
  if (processes > 1)
    return processes;
  for (auto group : module.getOps<collective::GroupOp>())
    if (group.getSize() && !group.getMembers())
      return *group.getSize();
  module.walk([&](Operation *op) {
    for (StringRef name : {"replica_groups", "source_target_pairs"})
      for (int64_t id : getKind(op).empty() ? SmallVector<int64_t>() : getIntegers(op, name))
        found = std::max(found, id + 1);
  });
  return found;
}

FailureOr<Sets> stablehlo::getSets(Operation *user, collective::GroupOp group) {
  Sets sets;
  if (auto ranks = dyn_cast_or_null<collective::RanksAttr>(group.getMembersAttr())) {
    for (DenseI64ArrayAttr set : ranks.getSets())
      sets.push_back(SmallVector<int64_t>(set.asArrayRef()));
    return sets;
  }
  std::optional<int64_t> world = group.getWorldSize();
  if (!world)
    return mlir::emitError(user->getLoc())
           << "the number of ranks is not known: give @" << group.getSymName() << " a size";
  for (int64_t rank = 0; rank < *world; ++rank) {
    std::optional<SmallVector<int64_t>> set = group.getSetOf(rank);
    if (!set)
      return mlir::emitError(user->getLoc())
             << "the ranks of @" << group.getSymName() << " are known only when the program runs";
    if (!set->empty() && set->front() == rank)
      sets.push_back(*set);
  }
  return sets;
}

DenseIntElementsAttr stablehlo::toTensor(Builder &builder, const Sets &sets) {
  size_t length = 0;
  for (ArrayRef<int64_t> set : sets)
    length = std::max(length, set.size());
  SmallVector<int64_t> ids;
  for (ArrayRef<int64_t> set : sets) {
    ids.append(set.begin(), set.end());
    ids.append(length - set.size(), -1);
  }
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(sets.size()), static_cast<int64_t>(length)}, builder.getI64Type());
  return DenseIntElementsAttr::get(type, ArrayRef<int64_t>(ids));
}
