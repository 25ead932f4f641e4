// Which results are equal on every rank of the world. On the world, what a collective gives to all
// ranks is. On sets of ranks, it is only where all sets compute the same of equal operands, or of
// operands that the sets of a group across them agreed on before: rows of a grid, then its columns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

/// Whether all ranks of the world make up one set of the group.
static bool isWorld(Operation *op, FlatSymbolRefAttr group) {
  GroupOp found = lookupGroup(op, group);
  return found && found.isWholeWorld();
}

/// Whether every rank is in a set, and all sets are equally large: then all of them compute the
/// same of operands that are equal on every rank.
static bool areSetsAlike(Operation *op, FlatSymbolRefAttr group) {
  GroupOp found = lookupGroup(op, group);
  return found && found.hasEveryRank() && found.hasEqualSets();
}

/// min and max of equal values are that value, however many there are.
static bool isIdempotent(ReductionKind reduction) {
  return reduction == ReductionKind::min || reduction == ReductionKind::max;
}

//===----------------------------------------------------------------------===//
// Rows, then columns
//===----------------------------------------------------------------------===//

/// Whether ranks that have the same number in their sets of `rows` are in one set of `columns`.
static bool isGrid(GroupOp rows, GroupOp columns) {
  MembersAttrInterface across = rows.getMembersAttr(), along = columns.getMembersAttr();
  auto block = dyn_cast_or_null<BlocksAttr>(across);
  auto stride = dyn_cast_or_null<StridedAttr>(along);
  if (block && stride)
    return block.getLength() == stride.getStride();
  // Nodes of equal sizes: ranks of one number are in one set.
  if (isa_and_nonnull<PerNodeAttr>(across) && isa_and_nonnull<AcrossNodesAttr>(along))
    return rows.hasEqualSets();
  std::optional<int64_t> world = rows.getWorldSize();
  constexpr int64_t most = 256; // ranks that are looked at one by one
  if (!world || *world > most)
    return false;
  llvm::SmallDenseMap<int64_t, int64_t> columnOf; // of each number: the first rank of its column
  for (int64_t rank = 0; rank < *world; ++rank) {
    auto row = rows.getSetOf(rank), column = columns.getSetOf(rank);
    if (!row || !column || row->empty() || column->empty())
      return false;
    int64_t number = llvm::find(*row, rank) - row->begin();
    if (columnOf.try_emplace(number, column->front()).first->second != column->front())
      return false;
  }
  return true;
}

/// The operand that alone makes the only result of `op`, which computes on each rank for itself.
static Value getOnlyInput(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  bool isLocal = dialect == "arith" || dialect == "tensor" || isa<FlattenOp, UnflattenOp>(op);
  bool isUnary = op->getNumOperands() == 1 && op->getNumResults() == 1 && op->getNumRegions() == 0;
  return isLocal && isUnary && isMemoryEffectFree(op) ? op->getOperand(0) : Value();
}

/// The group all members of whose sets hold the same `value`, as its origin tells; or null.
static GroupOp findAgreement(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto result = cast<OpResult>(value);
    if (isa<AllReduceOp, AllGatherOp, BroadcastOp>(op))
      return lookupGroup(op, cast<CollectiveOpInterface>(op).getGroupAttr());
    if (auto await = dyn_cast<AwaitOp>(op)) {
      auto async = await.getFuture().getDefiningOp<AsyncOp>();
      value = async.getBody().front().getTerminator()->getOperand(result.getResultNumber());
    } else {
      value = getOnlyInput(op);
    }
    if (!value)
      return {};
  }
  return {};
}

/// Whether all ranks of each set hold the same `input`, of ranks of other sets the one of the same
/// number: then all sets compute the same.
static bool isAgreedAcross(BucketOpInterface op, unsigned input) {
  GroupOp rows = lookupGroup(op, op.getGroupAttr());
  GroupOp columns = findAgreement(op.getInputs()[input]);
  return rows && columns && rows.hasEveryRank() && rows.hasEqualSets() && columns.hasEveryRank() &&
         isGrid(rows, columns);
}

static Uniformity asOperandsIf(bool condition) {
  return condition ? Uniformity::AsOperands : Uniformity::Varying;
}

Uniformity AllReduceOp::getResultUniformity(unsigned result) {
  if (isWorld(*this, getGroupAttr()) || isAgreedAcross(*this, result))
    return Uniformity::Uniform;
  return asOperandsIf(isIdempotent(getReduction()) || areSetsAlike(*this, getGroupAttr()));
}

Uniformity AllGatherOp::getResultUniformity(unsigned result) {
  if (isWorld(*this, getGroupAttr()) || isAgreedAcross(*this, result))
    return Uniformity::Uniform;
  return asOperandsIf(areSetsAlike(*this, getGroupAttr()));
}

Uniformity BroadcastOp::getResultUniformity(unsigned result) {
  bool isEqual = isWorld(*this, getGroupAttr()) || isAgreedAcross(*this, result);
  return isEqual ? Uniformity::Uniform : Uniformity::AsOperands;
}

/// The root has the reduction, the others their inputs.
Uniformity ReduceOp::getResultUniformity(unsigned) {
  return asOperandsIf(isIdempotent(getReduction()));
}

Uniformity ReduceScatterOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity GatherOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity ScatterOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity AllToAllOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity AllToAllVOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity AllToAllVCOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity RecvOp::getResultUniformity(unsigned) { return Uniformity::Varying; }

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

Uniformity RankOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity LocalRankOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity LocalSizeOp::getResultUniformity(unsigned) { return Uniformity::Varying; }

Uniformity SizeOp::getResultUniformity(unsigned) {
  return areSetsAlike(*this, getGroupAttr()) ? Uniformity::Uniform : Uniformity::Varying;
}

/// Between sets the answer depends on which of them this rank is in.
Uniformity TranslateRankOp::getResultUniformity(unsigned) {
  return asOperandsIf(isWorld(*this, getFromAttr()) && isWorld(*this, getToAttr()));
}
