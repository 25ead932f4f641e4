// Gradients of the elementwise operators. Broadcast operands are summed by GradientBuilder::give.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tutti::onnx;

TUTTI_ONNX_GRADIENT(AddOp) {
  for (unsigned operand : {0, 1})
    if (g.wants(operand))
      g.give(operand, g.into());
  return success();
}

TUTTI_ONNX_GRADIENT(SumOp) {
  for (unsigned operand = 0; operand < op.getNumOperands(); ++operand)
    if (g.wants(operand))
      g.give(operand, g.into());
  return success();
}

TUTTI_ONNX_GRADIENT(SubOp) {
  if (g.wants(0))
    g.give(0, g.into());
  if (g.wants(1))
    g.give(1, g.create<NegOp>(g.into()));
  return success();
}

TUTTI_ONNX_GRADIENT(MulOp) {
  if (g.wants(0))
    g.give(0, g.mul(g.into(), op.getB()));
  if (g.wants(1))
    g.give(1, g.mul(g.into(), op.getA()));
  return success();
}

// d(a/b) = da / b - db * (a/b) / b
TUTTI_ONNX_GRADIENT(DivOp) {
  Value ratio = g.div(g.into(), op.getB());
  if (g.wants(0))
    g.give(0, ratio);
  if (g.wants(1))
    g.give(1, g.create<NegOp>(g.mul(ratio, op.getC())));
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

TUTTI_ONNX_GRADIENT(NegOp) {
  g.give(0, g.create<NegOp>(g.into()));
  return success();
}

TUTTI_ONNX_GRADIENT(SqrtOp) {
  g.give(0, g.div(g.scale(g.into(), 0.5), op.getY()));
  return success();
}

TUTTI_ONNX_GRADIENT(ExpOp) {
  g.give(0, g.mul(g.into(), op.getOutput()));
  return success();
}

TUTTI_ONNX_GRADIENT(LogOp) {
  g.give(0, g.div(g.into(), op.getInput()));
  return success();
}

// d erf(x) = dx * 2 / sqrt(pi) * e^(-x^2)
TUTTI_ONNX_GRADIENT(ErfOp) {
  Value square = g.mul(op.getInput(), op.getInput());
  Value bell = g.create<ExpOp>(g.create<NegOp>(square));
  g.give(0, g.mul(g.into(), g.scale(bell, 2 * llvm::numbers::inv_sqrtpi)));
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
