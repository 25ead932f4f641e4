// Proposals of where ops write their results, on tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bufferization/Destinations.h"

#include "dialects/collective/Collective.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace tutti::bufferization;

bool tutti::bufferization::isView(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp, tensor::ExtractSliceOp,
             tutti::collective::FlattenOp, tutti::collective::UnflattenOp>(op);
}

Value tutti::bufferization::viewedBy(Value value) {
  for (Operation *op = value.getDefiningOp(); op && isView(op); op = value.getDefiningOp())
    value = op->getOperand(0);
  return value;
}

/// The input of `op`, an elementwise loop, whose buffer `op` could write its result into: read
/// element by element, made in this block, and not read again after `op`.
static OpOperand *findReusableInput(linalg::GenericOp op) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<DestinationStyleOpInterface>();
    bool isReadLater = llvm::any_of(input->get().getUsers(), [&](Operation *user) {
      return user->getBlock() != op->getBlock() || op->isBeforeInBlock(user);
    });
    bool isOfThisBlock = producer && producer->getBlock() == op->getBlock();
    if (isOfThisBlock && !isReadLater && op.getMatchingIndexingMap(input).isIdentity() &&
        input->get().getType() == op.getResult(0).getType())
      return input;
  }
  return nullptr;
}

void tutti::bufferization::reuseInputs(func::FuncOp function) {
  function.walk([](linalg::GenericOp op) {
    if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0)
      return;
    OpOperand &init = op.getDpsInitsMutable()[0];
    if (!init.get().getDefiningOp<tensor::EmptyOp>() ||
        !op.getMatchingIndexingMap(&init).isIdentity())
      return;
    if (OpOperand *input = findReusableInput(op))
      init.set(input->get());
  });
}

/// Moves `writer`, which overwrites `destination`, after the last op that reads the old contents,
/// if no user of its results comes before that.
static void moveAfterReaders(Operation *writer, Value destination) {
  Operation *last = writer;
  for (Operation *reader : destination.getUsers()) {
    Operation *inBlock = writer->getBlock()->findAncestorOpInBlock(*reader);
    if (inBlock && !inBlock->hasTrait<OpTrait::IsTerminator>() && last->isBeforeInBlock(inBlock))
      last = inBlock;
  }
  auto usedEarlier = [&](Operation *user) {
    Operation *inBlock = writer->getBlock()->findAncestorOpInBlock(*user);
    return !inBlock || !last->isBeforeInBlock(inBlock);
  };
  if (last != writer && llvm::none_of(writer->getUsers(), usedEarlier))
    writer->moveAfter(last);
}

/// Lets a collective that works in place have its input in `destination`.
static void proposeToCollective(OpResult value, Value destination) {
  Operation *collective = value.getOwner();
  OpOperand &input = collective->getOpOperand(value.getResultNumber());
  if (input.get().getDefiningOp<DestinationStyleOpInterface>() && input.get().hasOneUse())
    return proposeDestination(input.get(), destination);
  OpBuilder builder(collective);
  auto placed = mlir::bufferization::MaterializeInDestinationOp::create(
      builder, collective->getLoc(), destination.getType(), input.get(), destination);
  input.set(placed.getResult());
}

/// Lets the loop carry its value in `destination` from the first iteration on.
static void proposeToLoop(scf::ForOp loop, OpResult value, Value destination) {
  OpOperand *start = loop.getTiedLoopInit(value);
  if (start->get().hasOneUse())
    proposeDestination(start->get(), destination);
}

/// Lets both branches write what they yield into `destination`.
static void proposeToBranch(scf::IfOp branch, OpResult value, Value destination) {
  for (Region *region : {&branch.getElseRegion(), &branch.getThenRegion()}) {
    Value yielded = region->front().getTerminator()->getOperand(value.getResultNumber());
    proposeDestination(yielded, destination);
  }
}

void tutti::bufferization::proposeDestination(Value value, Value destination) {
  if (value.getType() != destination.getType())
    return;
  if (auto complete = value.getDefiningOp<tutti::collective::CompleteOp>())
    return proposeDestination(complete.getPromised()[cast<OpResult>(value).getResultNumber()],
                              destination);
  if (isa_and_nonnull<tutti::collective::AllReduceOp, tutti::collective::BroadcastOp,
                      tutti::collective::ReduceOp>(value.getDefiningOp()))
    return proposeToCollective(cast<OpResult>(value), destination);
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return proposeToLoop(loop, cast<OpResult>(value), destination);
  if (auto branch = value.getDefiningOp<scf::IfOp>())
    return proposeToBranch(branch, cast<OpResult>(value), destination);
  auto producer = value.getDefiningOp<DestinationStyleOpInterface>();
  if (!producer)
    return;
  OpOperand *init = producer.getTiedOpOperand(cast<OpResult>(value));
  if (init->get() == destination) {
    moveAfterReaders(producer, destination);
    return;
  }
  if (init->get().getDefiningOp<tensor::EmptyOp>())
    init->set(destination);
  else if (init->get().hasOneUse())
    proposeDestination(init->get(), destination);
  moveAfterReaders(producer, destination);
}

void tutti::bufferization::fillLoopStarts(func::FuncOp function) {
  function.walk([](scf::ForOp loop) {
    OpBuilder builder(loop);
    for (OpOperand &start : loop.getInitArgsMutable()) {
      DenseElementsAttr value;
      if (!matchPattern(start.get(), m_Constant(&value)) || !value.isSplat())
        continue;
      auto type = cast<RankedTensorType>(start.get().getType());
      Value room =
          tensor::EmptyOp::create(builder, loop.getLoc(), type.getShape(), type.getElementType());
      Value element =
          arith::ConstantOp::create(builder, loop.getLoc(), value.getSplatValue<TypedAttr>());
      start.set(linalg::FillOp::create(builder, loop.getLoc(), element, room).getResult(0));
    }
  });
}

void tutti::bufferization::proposeInLoops(func::FuncOp function) {
  function.walk([](scf::ForOp loop) {
    OpBuilder builder(loop.getBody()->getTerminator());
    for (auto [yielded, carried] :
         llvm::zip_equal(loop.getYieldedValuesMutable().value(), loop.getRegionIterArgs())) {
      if (!isa<RankedTensorType>(carried.getType()) || yielded.get() == carried)
        continue;
      proposeDestination(yielded.get(), carried);
      yielded.set(mlir::bufferization::MaterializeInDestinationOp::create(
                      builder, loop.getLoc(), carried.getType(), yielded.get(), carried)
                      .getResult());
    }
    placeUpdatesEarly(*loop.getBody(), loop.getRegionIterArgs());
  });
}
