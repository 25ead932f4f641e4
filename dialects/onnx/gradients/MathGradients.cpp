// Gradients of elementwise operators that are no formulas, or another operator. Broadcast operands
// are summed by GradientBuilder::give.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

using namespace mlir;
using namespace tutti::onnx;

TUTTI_ONNX_GRADIENT(SumOp) {
  for (unsigned operand = 0; operand < op.getNumOperands(); ++operand)
    if (g.wants(operand))
      g.give(operand, g.into());
  return success();
}

TUTTI_ONNX_GRADIENT(MeanOp) {
  Value share = g.scale(g.into(), 1.0 / double(op.getNumOperands()));
  for (unsigned operand = 0; operand < op.getNumOperands(); ++operand)
    if (g.wants(operand))
      g.give(operand, share);
  return success();
}

/// Whether `operand` is no extreme. False where it is no number.
template <typename Op> static Value loses(GradientBuilder &g, Value operand, Value other) {
  return std::is_same_v<Op, MaxOp> ? g.less(operand, other) : g.less(other, operand);
}

/// Two operands that are equal get one half each.
template <typename Op> static void differentiateChoiceOfTwo(Op op, GradientBuilder &g) {
  Value zero = g.scalar(0, g.into()), operands[] = {op->getOperand(0), op->getOperand(1)};
  Value isTie = g.equal(operands[0], operands[1]);
  Value share = g.select(isTie, g.scale(g.into(), 0.5), g.into());
  for (unsigned operand : {0, 1})
    if (g.wants(operand))
      g.give(operand,
             g.select(loses<Op>(g, operands[operand], operands[1 - operand]), zero, share));
}

/// The operands that are the result share its gradient.
template <typename Op> static LogicalResult differentiateChoice(Op op, GradientBuilder &g) {
  if (op->getNumOperands() == 2) {
    differentiateChoiceOfTwo(op, g);
    return success();
  }
  SmallVector<Value> lost;
  Value count, zero = g.scalar(0, g.into()), one = g.scalar(1, g.into());
  for (Value operand : op->getOperands()) {
    lost.push_back(loses<Op>(g, operand, op->getResult(0)));
    Value counted = g.select(lost.back(), zero, one);
    count = count ? g.add(count, counted) : counted;
  }
  Value share = g.div(g.into(), count);
  for (auto [operand, isLost] : llvm::enumerate(lost))
    if (g.wants(operand))
      g.give(operand, g.select(isLost, zero, share));
  return success();
}

TUTTI_ONNX_GRADIENT(MaxOp) { return differentiateChoice(op, g); }

TUTTI_ONNX_GRADIENT(MinOp) { return differentiateChoice(op, g); }

// Out of bounds the result is a bound.
TUTTI_ONNX_GRADIENT(ClipOp) {
  if (!g.wants(0))
    return success();
  Value input = op.getInput(), outside;
  if (op.getMin())
    outside = g.less(input, op.getMin());
  if (op.getMax()) {
    Value above = g.less(op.getMax(), input);
    outside = outside ? g.either(outside, above) : above;
  }
  g.give(0, outside ? g.select(outside, g.scalar(0, g.into()), g.into()) : g.into());
  return success();
}

// The rectifier's result says as well as its operand where it is on, so the operand need not be
// kept.
TUTTI_ONNX_GRADIENT(ReluOp) {
  g.give(0, g.create<ReluGradOp>(g.into(), op.getY()));
  return success();
}

TUTTI_ONNX_GRADIENT(SigmoidOp) {
  g.give(0, g.create<SigmoidGradOp>(g.into(), op.getY()));
  return success();
}

TUTTI_ONNX_GRADIENT(TanhOp) {
  g.give(0, g.create<TanhGradOp>(g.into(), op.getOutput()));
  return success();
}

// Between float types only: a cast to an integer has a gradient of zero, which is no gradient.
TUTTI_ONNX_GRADIENT(CastOp) {
  Type from = elementOf(op.getInput());
  if (isa<FloatType>(from) && isa<FloatType>(op.getTo()))
    g.give(0, g.create<CastOp>(g.into(), from));
  return success();
}
