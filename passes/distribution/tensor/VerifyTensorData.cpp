// Shows a local program to the proof of replication, as ranks that hold the same parts see it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/VerifyTensor.h"

#include "dialects/collective/Collective.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/Train.h"
#include "lib/program/Exchange.h"
#include "lib/program/MeshGroups.h"
#include "lib/program/ProgramEdit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

/// The block of a neighbour, as seen by one that is the first.
static Value takeFirstBlock(OpBuilder &builder, Value whole, int64_t axis, Type type) {
  auto block = cast<RankedTensorType>(type);
  int64_t rank = block.getRank();
  SmallVector<OpFoldResult> starts(rank, builder.getIndexAttr(0)), sizes,
      strides(rank, builder.getIndexAttr(1));
  for (int64_t dimension = 0; dimension < rank; ++dimension)
    sizes.push_back(tensor::getMixedSize(builder, whole.getLoc(), whole, dimension));
  sizes[axis] = builder.getIndexAttr(block.getDimSize(axis));
  return tensor::ExtractSliceOp::create(builder, whole.getLoc(), whole, starts, sizes, strides);
}

/// What neighbours exchange, as seen by one of them.
static void replaceExchange(Operation *op, const CommunicationForm &form, int64_t parts) {
  OpBuilder builder(op);
  if (form.kind == CommunicationKind::AllReduce) {
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
    return;
  }
  if (form.kind == CommunicationKind::ReduceScatter) {
    for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults()))
      result.replaceAllUsesWith(takeFirstBlock(builder, operand, form.axis, result.getType()));
    op->erase();
    return;
  }
  if (form.kind != CommunicationKind::AllGather || op->getNumOperands() != op->getNumResults())
    return;
  for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults())) {
    SmallVector<Value> blocks(parts, operand);
    result.replaceAllUsesWith(
        tensor::ConcatOp::create(builder, op->getLoc(), result.getType(), form.axis, blocks));
  }
  op->erase();
}

static void replacePiece(train::PieceOp piece, int64_t parts) {
  auto query = piece.getIndex().getDefiningOp<RankQueryOpInterface>();
  RankedTensorType type = piece.getResult().getType();
  if (!query || !isOfNeighbours(findGroup(piece, query.getQuestion().group), parts) ||
      type.isDynamicDim(piece.getAxis()))
    return;
  OpBuilder builder(piece);
  piece.replaceAllUsesWith(takeFirstBlock(builder, piece.getWhole(), piece.getAxis(), type));
  piece.erase();
}

/// Lets communication run where it begins: what neighbours exchange is none in the copy.
static void runAtOnce(ModuleOp module) {
  SmallVector<CommunicationStartOpInterface> starts;
  module.walk([&](CommunicationStartOpInterface start) {
    if (start->getNumRegions() == 1)
      starts.push_back(start);
  });
  for (CommunicationStartOpInterface start : starts) {
    for (Operation *done : llvm::make_early_inc_range(start.getFutureValue().getUsers())) {
      for (OpResult result : done->getResults())
        result.replaceAllUsesWith(start.getPromised(result.getResultNumber()));
      done->erase();
    }
    Block &body = start->getRegion(0).front();
    body.getTerminator()->erase();
    start->getBlock()->getOperations().splice(Block::iterator(start), body.getOperations());
    start->erase();
  }
}

/// A block is a variable of its own; the ranks that hold it may have parts of it.
static train::VariableAttr roleOfData(ModuleOp module, train::VariableAttr role) {
  if (std::optional<ArrayRef<int64_t>> block = train::findTensorBlock(module, role.getName()))
    return role.getSharded(*block);
  return train::VariableAttr::get(module.getContext(), role.getName(), role.getVariableClass());
}

/// `group` has the form that it has among ranks of the same parts.
static void replaceGroup(GroupOpInterface group, const GroupForm &form) {
  OpBuilder builder(group);
  StringRef name = SymbolTable::getSymbolName(group).getValue();
  if (getFactory(group)->createGroup(builder, group->getLoc(), name, form))
    group.erase();
}

OwningOpRef<ModuleOp> tutti::distribution::copyForData(ModuleOp module) {
  int64_t parts = partsOf(module);
  OwningOpRef<ModuleOp> copy = module.clone();
  runAtOnce(*copy);
  copy->walk([&](train::PieceOp piece) { replacePiece(piece, parts); });
  copy->walk([&](Operation *op) {
    if (std::optional<CommunicationForm> form = getForm(op)) {
      if (isOfNeighbours(findGroup(op, form->group), parts))
        replaceExchange(op, *form, parts);
      return;
    }
    auto query = dyn_cast<RankQueryOpInterface>(op);
    if (!query || !isOfNeighbours(findGroup(op, query.getQuestion().group), parts))
      return;
    OpBuilder builder(op);
    bool isSize = query.getQuestion().kind == RankQuestion::Size;
    op->getResult(0).replaceAllUsesWith(
        arith::ConstantIndexOp::create(builder, op->getLoc(), isSize ? parts : 0));
    op->erase();
  });
  for (auto table : copy->getOps<ps::TableOp>())
    table.removeNeighboursAttr();
  FailureOr<Program> program = Program::find(*copy);
  if (failed(program))
    return {};
  ProgramEdit edit(*program);
  for (VariableResult variable : getVariableResults(program->step))
    if (variable.role.getPlacement() == train::VariablePlacement::Shard)
      edit.setRole(variable.role, roleOfData(module, variable.role));
  (*copy)->removeAttr(train::kTensorParts);
  (*copy)->removeAttr(train::kTensorRanges);
  (*copy)->removeAttr(train::kTensorBlocks);
  edit.apply();
  int64_t ranks = collective::lookupWorldSize(module).value_or(parts), groups = ranks / parts;
  FlatSymbolRefAttr world = getOrCreateWorld(*copy);
  findGroup(program->step, world).declareSize(groups);
  for (auto group : llvm::make_early_inc_range(copy->getOps<GroupOpInterface>())) {
    StringAttr name = SymbolTable::getSymbolName(group);
    if (isOfData(group, parts))
      (void)SymbolTable::replaceAllSymbolUses(name, world.getAttr(), *copy);
    if (SymbolTable::symbolKnownUseEmpty(name, *copy) && !group.isOfWholeWorld())
      group.erase();
    else if (auto form = findFormOfData(module.lookupSymbol<GroupOpInterface>(name), parts, ranks))
      replaceGroup(group, *form);
  }
  return copy;
}
