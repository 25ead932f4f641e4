// Values that are made at the start of their flattened row, so that flattening copies nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/memory/InPlace.h"

#include "dialects/collective/Collective.h"
#include "passes/memory/BufferLiveness.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using tutti::collective::FlattenOp;

namespace tutti::memory {

/// Elements of `row` from `offset` on, in `shape`.
static Value viewRow(ImplicitLocOpBuilder &builder, Value row, ArrayRef<int64_t> shape,
                     int64_t offset) {
  Type elements = cast<MemRefType>(row.getType()).getElementType();
  SmallVector<int64_t> strides = computeSuffixProduct(shape);
  auto layout =
      offset ? StridedLayoutAttr::get(builder.getContext(), offset, strides) : StridedLayoutAttr();
  auto type = offset ? MemRefType::get(shape, elements, layout) : MemRefType::get(shape, elements);
  return memref::ReinterpretCastOp::create(builder, type, row, offset, shape, strides);
}

/// The buffer of the input of `op`, if it can be placed in the row instead. Fails where the live
/// range of a buffer is not known.
static FailureOr<memref::AllocOp> findInhabitant(FlattenOp op, const BufferLiveness &lives) {
  memref::AllocOp source = allocationOf(op.getInput());
  auto row = op.getDestination().getDefiningOp<memref::AllocOp>();
  if (!source || !row || source == row || source->getBlock() != op->getBlock() ||
      row->getBlock() != op->getBlock())
    return memref::AllocOp();
  FailureOr<BufferLife> ofSource = lives.of(source), ofRow = lives.of(row);
  if (failed(ofSource) || failed(ofRow))
    return failure();
  BufferLife now = lives.of(op.getOperation());
  bool isFree = ofSource->lastMoment == now.lastMoment && ofRow->firstMoment == now.firstMoment;
  return isFree ? source : memref::AllocOp();
}

/// Puts what `source` held at the start of `row`.
static void moveIn(memref::AllocOp source, memref::AllocOp row) {
  if (source->isBeforeInBlock(row))
    row->moveBefore(source);
  ImplicitLocOpBuilder builder(source.getLoc(), source);
  source.replaceAllUsesWith(viewRow(builder, row, source.getType().getShape(), 0));
  source.erase();
}

static void copyIn(FlattenOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto shape = cast<MemRefType>(op.getInput().getType()).getShape();
  linalg::CopyOp::create(builder, op.getInput(), viewRow(builder, op.getDestination(), shape, 0));
}

/// Zeros after the elements of the input.
static LogicalResult fillRest(FlattenOp op) {
  auto type = cast<MemRefType>(op.getDestination().getType());
  int64_t used = cast<MemRefType>(op.getInput().getType()).getNumElements();
  if (used == type.getNumElements())
    return success();
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  TypedAttr zero = builder.getZeroAttr(type.getElementType());
  if (type.getElementType().isUnsignedInteger())
    return op.emitOpError("puts zeros after its input, which cannot be made of ")
           << type.getElementType() << "; use i8 instead";
  Value rest = viewRow(builder, op.getDestination(), {type.getNumElements() - used}, used);
  linalg::FillOp::create(builder, arith::ConstantOp::create(builder, zero).getResult(), rest);
  return success();
}

using Decisions = SmallVector<std::pair<FlattenOp, memref::AllocOp>>;

/// Each flatten of `function` with the buffer that moves into its row, or null. All decisions are
/// made on the unchanged program, independently of each other.
static FailureOr<Decisions> decide(func::FuncOp function) {
  BufferLiveness lives(function.getBody().front());
  Decisions decisions;
  WalkResult walked = function.walk([&](FlattenOp op) {
    FailureOr<memref::AllocOp> source = findInhabitant(op, lives);
    if (failed(source))
      return WalkResult::interrupt();
    decisions.emplace_back(op, *source);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  return decisions;
}

FailureOr<unsigned> lowerFlattens(func::FuncOp function) {
  FailureOr<Decisions> decisions = decide(function);
  if (failed(decisions))
    return failure();
  unsigned copies = 0;
  for (auto [op, source] : *decisions) {
    if (source) {
      moveIn(source, op.getDestination().getDefiningOp<memref::AllocOp>());
    } else {
      copyIn(op);
      ++copies;
    }
    if (failed(fillRest(op)))
      return failure();
    op.erase();
  }
  return copies;
}

} // namespace tutti::memory
