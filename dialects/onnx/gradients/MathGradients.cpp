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

/// The gradient goes to the first operand that is the result.
static LogicalResult differentiateChoice(Operation *op, GradientBuilder &g) {
  Value taken;
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
    Value chosen = g.equal(op->getOperand(operand), op->getResult(0));
    Value first = taken ? g.both(chosen, g.invert(taken)) : chosen;
    if (g.wants(operand))
      g.give(operand, g.select(first, g.into(), g.scalar(0, g.into())));
    taken = taken ? g.either(taken, chosen) : chosen;
  }
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

// d(x^y) = dx * y * x^(y-1)
TUTTI_ONNX_GRADIENT(PowOp) {
  if (g.wants(1))
    return op.emitOpError(
        "has no gradient for its exponent; only the base may depend on a variable");
  Value exponent = op.getY();
  Type element = elementOf(op.getX());
  if (elementOf(exponent) != element)
    exponent = g.create<CastOp>(exponent, element);
  Value power = g.create<PowOp>(op.getX(), g.sub(exponent, g.scalar(1, exponent)));
  g.give(0, g.mul(g.into(), g.mul(exponent, power)));
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
