// Follows the layouts of a local program among neighbours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/VerifyTensor.h"

#include "dialects/train/ProgramClaims.h"
#include "lib/program/MeshGroups.h"
#include "passes/distribution/tensor/PartsVerdict.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

InFlightDiagnostic PartsVerdict::refuse(Operation *op, Value value) {
  refused = op;
  InFlightDiagnostic error = mlir::emitError(op->getLoc()) << "'" << op->getName() << "' takes ";
  const Layout &layout = get(value).layout;
  if (layout.isPartial())
    error << "a value of which each of " << parts << " neighbouring ranks has a summand only";
  else if (layout.isShard())
    error << "a value of which each of " << parts
          << " neighbouring ranks has a part, along dimension " << layout.dimension;
  else if (layout.isOwn())
    error << "a value that is each neighbouring rank's own";
  else
    error << "a value that all " << parts << " neighbouring ranks have whole";
  if (Operation *source = value.getDefiningOp())
    error.attachNote(source->getLoc()) << "made by '" << source->getName() << "'";
  return error;
}

LogicalResult PartsVerdict::verify() {
  for (BlockArgument argument : program.step.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    train::VariableAttr role = findHeldVariable(argument);
    if (!role || role.isReplicated() || !type) {
      set(argument, Layout::replicate(), argument.getType());
      continue;
    }
    if (failed(setVariable(argument, role)))
      return failure();
  }
  if (failed(verifyTables()))
    return failure();
  findBlockIndices();
  return verifyStep();
}

LogicalResult PartsVerdict::setVariable(BlockArgument argument, train::VariableAttr role) {
  auto type = cast<RankedTensorType>(argument.getType());
  std::optional<ArrayRef<int64_t>> block = train::findTensorBlock(program.module, role.getName());
  if (block && *block == role.getWhole()) {
    set(argument, Layout::replicate(), type); // neighbours have the same part
    return success();
  }
  int64_t dimension =
      train::findCutDimension(block.value_or(type.getShape()), role.getWhole(), parts);
  TensorCut along{dimension, train::getTensorRanges(program.module, role.getName())};
  SmallVector<int64_t> whole(role.getWhole());
  if (dimension >= 0 && along.outer == 1) // filled up
    whole[dimension] = train::getBlockSize(whole[dimension], parts) * parts;
  if (dimension < 0 || !along.fits(type.clone(whole), parts))
    return mlir::emitError(argument.getLoc())
           << "variable \"" << role.getName()
           << "\" is in parts that neighbouring ranks do not hold";
  known[argument] = {along.getLayout(), type.clone(whole), block.has_value()};
  return success();
}

LogicalResult PartsVerdict::verifyEnd() {
  Operation *end = program.step.getBody().front().getTerminator();
  VariablePlaces places(program.step);
  for (OpOperand &returned : end->getOpOperands()) {
    train::VariableAttr role = getVariable(program.step, returned.getOperandNumber());
    Known kept = role ? get(places.getArgument(role)) : Known{Layout::replicate(), {}};
    const Layout &wanted = kept.layout;
    if (get(returned.get()).layout == wanted && get(returned.get()).isRow == kept.isRow)
      continue;
    InFlightDiagnostic error = refuse(end, returned.get());
    error.attachNote(program.step.getLoc())
        << (role ? "variable \"" + role.getName().str() + "\""
                 : std::string("a metric or an output"))
        << " leaves the step so, but is "
        << (wanted.isShard() ? "kept in parts" : "the same on all of them");
    return error;
  }
  return success();
}

LogicalResult PartsVerdict::visit(Operation *op) {
  ++visits;
  if (std::optional<CommunicationForm> form = getForm(op)) {
    GroupOpInterface group = findGroup(op, form->group);
    if (isOfNeighbours(group, parts))
      return visitNeighbours(op, *form);
    if (findFormOfData(group, parts, ranks))
      return visitData(op, *form);
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' is among other ranks than those of an axis of the mesh";
  }
  if (auto query = dyn_cast<RankQueryOpInterface>(op)) {
    bool isOwn = query.getQuestion().kind != RankQuestion::Size &&
                 isOfNeighbours(findGroup(op, query.getQuestion().group), parts);
    set(op->getResult(0), isOwn ? Layout::own() : Layout::replicate(), op->getResult(0).getType());
    return success();
  }
  if (ofIndices.contains(op)) {
    set(op->getResult(0), Layout::own(), op->getResult(0).getType());
    return success();
  }
  if (auto gather = dyn_cast<train::GatherRowsOp>(op))
    if (auto own = blockIndices.find(gather.getIndices()); own != blockIndices.end())
      return visitLookup(gather, own->second);
  if (auto scatter = dyn_cast<train::ScatterRowsOp>(op))
    if (auto own = blockIndices.find(scatter.getIndices()); own != blockIndices.end())
      return visitScatter(scatter, own->second);
  if (auto push = dyn_cast<ps::PushRowsOp>(op))
    return visitPush(push);
  if (auto piece = dyn_cast<train::PieceOp>(op))
    return visitPiece(piece);
  if (auto scale = dyn_cast<train::ScaleOp>(op); scale && correctsScale(scale))
    return success();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop);
  if (auto start = dyn_cast<CommunicationStartOpInterface>(op); start && op->getNumRegions() == 1)
    return visitStart(start);
  if (auto done = dyn_cast<CommunicationDoneOpInterface>(op))
    return visitDone(done);
  return visitNested(op);
}

/// What is started is what it would be if it ran here.
LogicalResult PartsVerdict::visitStart(CommunicationStartOpInterface start) {
  for (Operation &op : start->getRegion(0).front().without_terminator())
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult PartsVerdict::visitDone(CommunicationDoneOpInterface done) {
  for (OpResult result : done->getResults()) {
    Value promised = findPromised(done, result.getResultNumber());
    if (!promised)
      return mlir::emitError(done->getLoc())
             << "'" << done->getName() << "' awaits what is started elsewhere, of which it is not "
             << "known how it lies on neighbouring ranks";
    setLike(result, get(promised));
  }
  return success();
}

/// What a loop carries is whole, or zeros to which each iteration adds parts or summands: of one
/// micro-batch, or of several, one after another.
LogicalResult PartsVerdict::visitLoop(scf::ForOp loop) {
  for (Value operand : loop->getOperands())
    if (!get(operand).layout.isWhole())
      return refuse(loop, operand);
  for (BlockArgument argument : loop.getBody()->getArguments())
    set(argument, Layout::replicate(), argument.getType());
  DenseMap<Operation *, BlockArgument> sums; // with what they add to
  for (auto [init, argument, yielded] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (isZero(init) && argument.hasOneUse() && yielded.hasOneUse())
      if (Operation *sum = findFirstSum(argument, yielded))
        sums[sum] = argument;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (BlockArgument argument = sums.lookup(&op)) {
      Value added = op.getOperand(op.getOperand(0) == argument ? 1 : 0);
      set(argument, get(added).layout, typeOf(added));
    }
    if (failed(visit(&op)))
      return failure();
  }
  Operation *end = loop.getBody()->getTerminator();
  for (auto [yielded, argument, result] :
       llvm::zip_equal(end->getOperands(), loop.getRegionIterArgs(), loop.getResults())) {
    if (get(yielded).layout != get(argument).layout)
      return refuse(end, yielded);
    set(result, get(yielded).layout, typeOf(yielded));
  }
  return success();
}

LogicalResult PartsVerdict::visitNested(Operation *op) {
  WalkResult nested = op->walk([&](Operation *inner) {
    std::optional<CommunicationForm> form = getForm(inner);
    bool isOther = form && !findFormOfData(findGroup(inner, form->group), parts, ranks);
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (nested.wasInterrupted())
    return mlir::emitError(op->getLoc())
           << "'" << op->getName()
           << "' holds communication with neighbouring ranks, which is known "
           << "to be right only in @step itself and in its loops";
  bool isWhole =
      llvm::all_of(op->getOperands(), [&](Value operand) { return get(operand).layout.isWhole(); });
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (inner != op && known.contains(operand))
        isWhole &= get(operand).layout.isWhole();
  });
  if (!isWhole)
    return visitByRule(op);
  for (Value result : op->getResults())
    set(result, Layout::replicate(), result.getType());
  return success();
}

/// A sum is taken of summands, and of nothing else: what all have whole would count several times.
LogicalResult PartsVerdict::visitNeighbours(Operation *op, const CommunicationForm &form) {
  for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults())) {
    Layout layout = get(operand).layout;
    Type whole = typeOf(operand);
    if (get(operand).isRow) // neighbours have other elements of the whole there
      return refuse(op, operand);
    bool isSum = form.reduction == Reduction::Sum;
    bool isSameExtreme = layout.isPartial() && form.reduction == layout.reduction && !isSum;
    switch (form.kind) {
    case CommunicationKind::AllReduce:
      if (!(isSum && layout.isSum()) && !isSameExtreme) {
        InFlightDiagnostic error = refuse(op, operand);
        error.attachNote(op->getLoc())
            << "the " << spellReduction(*form.reduction)
            << " over neighbours is another value than that of one device";
        return error;
      }
      set(result, Layout::replicate(layout.scale), whole);
      continue;
    case CommunicationKind::ReduceScatter:
      if (!isSum || !layout.isSum())
        return refuse(op, operand);
      set(result, Layout::shard(form.axis, layout.scale), whole);
      continue;
    case CommunicationKind::AllGather:
      if (!layout.isShard() || layout.dimension != form.axis || layout.outer != 1)
        return refuse(op, operand);
      set(result, Layout::replicate(layout.scale), whole);
      continue;
    default:
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' among neighbouring ranks is not known to be right";
    }
  }
  return success();
}

/// Ranks that hold the same parts exchange them part by part, and divide rows of them: a block that
/// is scattered along its first dimension is elements of it in their order, too.
LogicalResult PartsVerdict::visitData(Operation *op, const CommunicationForm &form) {
  bool isSum = form.reduction == Reduction::Sum || form.reduction == Reduction::Mean;
  bool passes = form.kind == CommunicationKind::AllReduce;
  bool movesRows = form.kind == CommunicationKind::AllGather;
  bool scattersRows = form.kind == CommunicationKind::ReduceScatter;
  for (Value operand : op->getOperands()) {
    const Layout &layout = get(operand).layout;
    bool isInOrder = layout.isShard() && layout.scale == 0 && form.axis == 0;
    bool isRow = (movesRows && canBeRow(operand)) ||
                 (isSum && scattersRows && (isInOrder || canBeRow(operand)));
    bool isSummand =
        isSum ? layout.isSum() : layout.isPartial() && form.reduction == layout.reduction;
    if (layout.isReplicate() || (passes && (layout.isShard() || isSummand)) || isRow)
      continue;
    return refuse(op, operand);
  }
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    const Known given = index < op->getNumOperands() ? get(op->getOperand(index)) : Known();
    if (passes)
      setLike(result, given);
    else if (given.layout.isWhole())
      set(result, Layout::replicate(), result.getType());
    else // a complete row of one dimension is a block again, a part of it is none
      setLike(result,
              {given.layout, given.whole,
               scattersRows || !isBlockOf(result.getType(), given.whole, given.layout, parts)});
  }
  return success();
}

/// Whether `index` of `count` is the number of the rank among its neighbours.
bool PartsVerdict::isOwnBlock(Value index, Value count) {
  APInt number;
  auto query = index.getDefiningOp<RankQueryOpInterface>();
  return get(index).layout.isOwn() && query && query.getQuestion().kind == RankQuestion::Rank &&
         matchPattern(count, m_ConstantInt(&number)) && number == uint64_t(parts);
}

/// Finds the indices of rows of the rank's own block, which only lookups in it and additions to it
/// may take.
void PartsVerdict::findBlockIndices() {
  program.step.walk([&](Operation *op) {
    if (!isa<train::GatherRowsOp, train::ScatterRowsOp>(op))
      return;
    Value places = op->getOperand(isa<train::GatherRowsOp>(op) ? 1 : 0);
    std::optional<BlockIndices> own = matchBlockIndices(places);
    if (!own)
      return;
    ofIndices.insert(own->own.begin(), own->own.end());
    blockIndices.try_emplace(places, *own);
  });
  program.step.walk([&](ps::PushRowsOp push) {
    if (std::optional<RowShare> share = matchRowShare(push)) {
      ofIndices.insert(share->own.begin(), share->own.end());
      shares.try_emplace(push, *share);
    }
  });
}

/// Neighbours have the same list, and each row of it reaches the servers from one of them.
LogicalResult PartsVerdict::visitPush(ps::PushRowsOp push) {
  auto share = shares.find(push);
  if (share == shares.end())
    return mlir::emitError(push.getLoc())
           << "each of " << parts << " neighbouring ranks, which have the same samples, pushes all "
           << "rows to " << push.getTableAttr() << ": servers would add up each gradient " << parts
           << " times";
  if (!isOwnBlock(share->second.rank, share->second.count))
    return refuse(push, share->second.rank);
  for (Value operand : push->getOperands()) {
    Value whole = operand == push.getIndices() ? share->second.indices : operand;
    if (!get(whole).layout.isWhole())
      return refuse(push, whole);
  }
  return success();
}

LogicalResult PartsVerdict::verifyTables() {
  for (auto table : program.module.getOps<ps::TableOp>()) {
    if (table.countNeighbours() == parts)
      continue;
    return mlir::emitError(table.getLoc())
           << "servers of table @" << table.getSymName() << " count " << table.countNeighbours()
           << " workers as one, but each " << parts
           << " neighbouring ranks have the same samples: neighbours = " << parts;
  }
  return success();
}

/// They are of the same rows on all ranks, and the block is that of the rank.
LogicalResult PartsVerdict::checkIndices(Operation *op, const BlockIndices &own) {
  if (!get(own.indices).layout.isWhole())
    return refuse(op, own.indices);
  if (!isOwnBlock(own.rank, own.count))
    return refuse(op, own.rank);
  return success();
}

/// Rows that are in another block are zeros: what ranks find are summands.
LogicalResult PartsVerdict::visitLookup(train::GatherRowsOp gather, const BlockIndices &own) {
  if (failed(checkIndices(gather, own)))
    return failure();
  const Known &table = get(gather.getTable());
  bool isBlock = table.layout == Layout::shard(0, table.layout.scale) &&
                 gather.getTable().getType().getDimSize(0) == own.rows;
  if (!isBlock)
    return refuse(gather, gather.getTable());
  set(gather.getRows(), Layout::partial(Reduction::Sum, table.layout.scale),
      gather.getRows().getType());
  return success();
}

/// A block has those rows of all that are its own.
LogicalResult PartsVerdict::visitScatter(train::ScatterRowsOp scatter, const BlockIndices &own) {
  if (failed(checkIndices(scatter, own)))
    return failure();
  const Layout &rows = get(scatter.getRows()).layout;
  auto type = cast<RankedTensorType>(scatter.getTable().getType());
  if (!rows.isReplicate() || type.getDimSize(0) != own.rows)
    return refuse(scatter, scatter.getRows());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] *= parts;
  set(scatter.getTable(), Layout::shard(0, rows.scale), type.clone(shape));
  return success();
}

/// The piece at the number of the rank is its block.
LogicalResult PartsVerdict::visitPiece(train::PieceOp piece) {
  const Known &whole = get(piece.getWhole());
  Layout index = get(piece.getIndex()).layout;
  bool isBlock = isOwnBlock(piece.getIndex(), piece.getCount());
  if (index.isReplicate() && whole.layout.isWhole()) {
    set(piece.getResult(), Layout::replicate(), piece.getType());
    return success();
  }
  if (!isBlock || !whole.layout.isReplicate())
    return refuse(piece, piece.getWhole());
  set(piece.getResult(), Layout::shard(piece.getAxis(), whole.layout.scale), whole.whole);
  return success();
}

/// Whether `scale` corrects a value that is too large by the number of neighbours, such as a mean
/// over a part. Notes the layout of the result.
bool PartsVerdict::correctsScale(train::ScaleOp scale) {
  const Known given = get(scale.getInput());
  DenseFPElementsAttr number;
  if (given.layout.isOwn() || given.layout.scale == 0 || given.layout.scale.turns != 0 ||
      !matchPattern(scale.getFactor(), m_Constant(&number)) ||
      !isRounded(number.getSplatValue<APFloat>(), std::pow(parts, -given.layout.scale.share)))
    return false;
  setLike(scale.getResult(), {given.layout.withScale(0), given.whole, given.isRow});
  return true;
}

LogicalResult tutti::distribution::verifyParts(Program program) {
  return PartsVerdict(program).verify();
}
