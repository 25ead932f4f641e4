// Which results of communication are equal on every rank of the world. On the world, what a
// collective gives to all ranks is. On sets of ranks, it is only where all sets compute the same of
// equal operands, or of operands that the sets of a group across them agreed on before: rows of a
// grid, then its columns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/ranks/CommunicationUniformity.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tutti;

/// Whether all ranks of the world make up one set of the group.
static bool isWorld(Operation *op, FlatSymbolRefAttr group) {
  GroupOpInterface found = findGroup(op, group);
  return found && found.isOfWholeWorld();
}

/// Whether every rank is in a set, and all sets are equally large: then all of them compute the
/// same of operands that are equal on every rank.
static bool areSetsAlike(Operation *op, FlatSymbolRefAttr group) {
  GroupOpInterface found = findGroup(op, group);
  return found && found.holdsEveryRank() && found.isOfEqualSets();
}

//===----------------------------------------------------------------------===//
// Rows, then columns
//===----------------------------------------------------------------------===//

/// Whether ranks that have the same number in their sets of `rows` are in one set of `columns`.
static bool isGrid(GroupOpInterface rows, GroupOpInterface columns) {
  GroupForm across = rows.getGroupForm(), along = columns.getGroupForm();
  if (across.kind == GroupForm::Blocks && along.kind == GroupForm::Strided)
    return across.length == along.length;
  // Nodes of equal sizes: ranks of one number are in one set.
  if (across.kind == GroupForm::PerNode && along.kind == GroupForm::AcrossNodes)
    return rows.isOfEqualSets();
  std::optional<int64_t> world = findWorldSizeAt(rows);
  constexpr int64_t most = 256; // ranks that are looked at one by one
  if (!world || *world > most)
    return false;
  llvm::SmallDenseMap<int64_t, int64_t> columnOf; // of each number: the first rank of its column
  for (int64_t rank = 0; rank < *world; ++rank) {
    auto row = rows.getMembersWith(rank, *world), column = columns.getMembersWith(rank, *world);
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
  bool isLocal = dialect == "arith" || dialect == "tensor" || changesRow(op);
  bool isUnary = op->getNumOperands() == 1 && op->getNumResults() == 1 && op->getNumRegions() == 0;
  return isLocal && isUnary && isMemoryEffectFree(op) ? op->getOperand(0) : Value();
}

/// The group all members of whose sets hold the same `value`, as its origin tells; or null.
static GroupOpInterface findAgreement(Value value) {
  using Kind = CommunicationKind;
  while (Operation *op = value.getDefiningOp()) {
    if (isKind(op, {Kind::AllReduce, Kind::AllGather, Kind::Broadcast}))
      return findGroup(op, getForm(op)->group);
    auto done = dyn_cast<CommunicationDoneOpInterface>(op);
    value = done && done.getAwaitedFuture()
                ? findPromised(done, cast<OpResult>(value).getResultNumber())
                : getOnlyInput(op);
    if (!value)
      return {};
  }
  return {};
}

/// Whether all ranks of each set hold the same `input`, of ranks of other sets the one of the same
/// number: then all sets compute the same.
static bool isAgreedAcross(Operation *op, FlatSymbolRefAttr group, Value input) {
  GroupOpInterface rows = findGroup(op, group), columns = findAgreement(input);
  return rows && columns && rows.holdsEveryRank() && rows.isOfEqualSets() &&
         columns.holdsEveryRank() && isGrid(rows, columns);
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

static Uniformity asOperandsIf(bool condition) {
  return condition ? Uniformity::AsOperands : Uniformity::Varying;
}

Uniformity tutti::getUniformityOfResult(CommunicationOpInterface op, unsigned result, Value given) {
  CommunicationForm form = op.getForm();
  // min and max of equal values are that value, however many there are.
  bool isIdempotent = form.reduction == Reduction::Min || form.reduction == Reduction::Max;
  auto isEqual = [&] {
    if (isWorld(op, form.group))
      return true;
    SmallVector<Value> payload = given ? SmallVector<Value>() : op.getPayload();
    Value input = given ? given : result < payload.size() ? payload[result] : Value();
    return input && isAgreedAcross(op, form.group, input);
  };
  switch (form.kind) {
  case CommunicationKind::AllReduce:
    return isEqual() ? Uniformity::Uniform
                     : asOperandsIf(isIdempotent || areSetsAlike(op, form.group));
  case CommunicationKind::AllGather:
    return isEqual() ? Uniformity::Uniform : asOperandsIf(areSetsAlike(op, form.group));
  case CommunicationKind::Broadcast:
    return isEqual() ? Uniformity::Uniform : Uniformity::AsOperands;
  case CommunicationKind::Reduce: // the root has the reduction, the others their inputs
    return asOperandsIf(isIdempotent);
  default:
    return Uniformity::Varying;
  }
}

Uniformity tutti::getUniformityOfAnswer(RankQueryOpInterface op) {
  RankQuestion question = op.getQuestion();
  switch (question.kind) {
  case RankQuestion::Size:
    return areSetsAlike(op, question.group) ? Uniformity::Uniform : Uniformity::Varying;
  case RankQuestion::Translate: // between sets it depends on which of them this rank is in
    return asOperandsIf(isWorld(op, question.group) && isWorld(op, question.to));
  default:
    return Uniformity::Varying;
  }
}
