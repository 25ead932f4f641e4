// The loop over the micro-batches of a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/accumulation/Accumulation.h"

#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

/// There is one: the verifier of the program checks that @step takes every variable it returns.
BlockArgument MicroBatchLoop::variableOf(const CarriedValue &value) {
  return places.getArgument(value.role);
}

Value MicroBatchLoop::initialOf(const CarriedValue &value) {
  Location loc = value.value.getLoc();
  auto type = cast<RankedTensorType>(value.value.getType());
  switch (value.kind) {
  case CarriedValue::Kind::Sum:
  case CarriedValue::Kind::Mean:
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  case CarriedValue::Kind::Rows:
  case CarriedValue::Kind::MeanRows:
    return train::ZeroBatchOp::create(builder, loc, type,
                                      value.like ? value.like : work.batch.front());
  case CarriedValue::Kind::Variable:
    return variableOf(value);
  }
  llvm_unreachable("a kind without a rule");
}

Value MicroBatchLoop::factorOf(Type elementType) {
  Value &factor = factors[elementType];
  if (!factor) {
    auto value = builder.getFloatAttr(elementType, 1.0 / parts);
    auto scalar = DenseElementsAttr::get(RankedTensorType::get({}, elementType), value);
    factor = arith::ConstantOp::create(builder, step.getLoc(), scalar);
  }
  return factor;
}

/// The next value of what is carried, after one micro-batch.
Value MicroBatchLoop::nextOf(const CarriedValue &carried, Value last, Value index) {
  Location loc = carried.value.getLoc();
  Value value = carried.value;
  if (carried.isMean())
    value = train::ScaleOp::create(builder, loc, value.getType(), value,
                                   factorOf(getElementTypeOrSelf(value)));
  switch (carried.kind) {
  case CarriedValue::Kind::Mean:
  case CarriedValue::Kind::Sum:
    return arith::AddFOp::create(builder, loc, last, value);
  case CarriedValue::Kind::Rows:
  case CarriedValue::Kind::MeanRows:
    return train::PutMicroBatchOp::create(builder, loc, last.getType(), value, last, index, parts);
  case CarriedValue::Kind::Variable:
    return value;
  }
  llvm_unreachable("a kind without a rule");
}

/// Moves the work into the loop and lets it take its part of what is divided by samples.
void MicroBatchLoop::takeParts(scf::ForOp loop) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  auto isWork = [&](OpOperand &use) { return work.contains(use.getOwner()); };
  for (Value whole : work.batch) {
    if (llvm::none_of(whole.getUses(), isWork))
      continue;
    Value part = train::MicroBatchOp::create(builder, whole.getLoc(), whole.getType(),
                                             loop.getInductionVar(), parts, whole);
    whole.replaceUsesWithIf(part, isWork);
  }
  for (Operation *op : work.ops)
    op->moveBefore(loop.getBody(), loop.getBody()->end());
}

void MicroBatchLoop::carry(scf::ForOp loop, ArrayRef<CarriedValue> carried) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> next;
  for (auto [value, last] : llvm::zip_equal(carried, loop.getRegionIterArgs())) {
    if (value.kind == CarriedValue::Kind::Variable)
      variableOf(value).replaceUsesWithIf(
          last, [&](OpOperand &use) { return work.contains(use.getOwner()); });
    next.push_back(nextOf(value, last, loop.getInductionVar()));
  }
  scf::YieldOp::create(builder, loop.getLoc(), next);
}

void MicroBatchLoop::handOn(scf::ForOp loop, ArrayRef<CarriedValue> carried) {
  for (auto [value, result] : llvm::zip_equal(carried, loop.getResults())) {
    if (value.next)
      value.next->set(result);
    Value inside = value.value;
    inside.replaceUsesWithIf(result,
                             [&](OpOperand &use) { return !loop->isAncestor(use.getOwner()); });
  }
}

void MicroBatchLoop::build(ArrayRef<CarriedValue> carried) {
  Location loc = step.getLoc();
  auto initial = llvm::map_to_vector(carried, [&](auto &value) { return initialOf(value); });
  for (const CarriedValue &value : carried)
    if (value.isMean())
      factorOf(getElementTypeOrSelf(value.value));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value count = arith::ConstantIndexOp::create(builder, loc, parts);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto noBody = [](OpBuilder &, Location, Value, ValueRange) {};
  auto loop = scf::ForOp::create(builder, loc, zero, count, one, initial, noBody);
  takeParts(loop);
  carry(loop, carried);
  handOn(loop, carried);
  for (Operation *op : llvm::reverse(work.early))
    op->moveAfter(loop);
}
