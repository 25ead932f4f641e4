// Gradients of reductions, and of the operations that are those gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

using namespace mlir;
using namespace tutti::onnx;

TUTTI_ONNX_GRADIENT(ReduceSumOp) {
  g.give(0, g.create<ReduceSumGradOp>(g.into(), op.getData(), op.getAxesAttr(),
                                      op.getKeepdimsAttr(), op.getNoopWithEmptyAxesAttr()));
  return success();
}

TUTTI_ONNX_GRADIENT(ReduceMeanOp) {
  g.give(0, g.create<ReduceMeanGradOp>(g.into(), op.getData(), op.getAxesAttr(),
                                       op.getKeepdimsAttr(), op.getNoopWithEmptyAxesAttr()));
  return success();
}

// X gives only its shape: its gradient is zero.
TUTTI_ONNX_GRADIENT(ReduceSumGradOp) {
  if (g.wants(0))
    g.give(0, g.create<ReduceSumOp>(g.into(), op.getAxesAttr(), op.getKeepdimsAttr(),
                                    op.getNoopWithEmptyAxesAttr()));
  return success();
}

TUTTI_ONNX_GRADIENT(ReduceMeanGradOp) {
  if (g.wants(0))
    g.give(0, g.create<ReduceMeanOp>(g.into(), op.getAxesAttr(), op.getKeepdimsAttr(),
                                     op.getNoopWithEmptyAxesAttr()));
  return success();
}

/// What `reduced` holds, repeated along the axes that were reduced.
template <typename ReduceOp> static Value spread(ReduceOp op, Value reduced, GradientBuilder &g) {
  return g.create<ReduceSumGradOp>(reduced, op.getData(), op.getAxesAttr(), op.getKeepdimsAttr(),
                                   op.getNoopWithEmptyAxesAttr());
}

/// Those elements that are the result share its gradient.
template <typename ReduceOp>
static LogicalResult differentiateExtreme(ReduceOp op, GradientBuilder &g) {
  Value chosen = g.equal(op.getData(), spread(op, op.getReduced(), g));
  Value mask = g.create<CastOp>(chosen, elementOf(op.getData()));
  Value count = g.create<ReduceSumOp>(mask, op.getAxesAttr(), op.getKeepdimsAttr(),
                                      op.getNoopWithEmptyAxesAttr());
  g.give(0, g.mul(spread(op, g.div(g.into(), count), g), mask));
  return success();
}

TUTTI_ONNX_GRADIENT(ReduceMaxOp) { return differentiateExtreme(op, g); }

TUTTI_ONNX_GRADIENT(ReduceMinOp) { return differentiateExtreme(op, g); }

// The product of the other factors: what is not 0 is multiplied, and divided by the factor itself.
// It counts where no other factor is 0.
TUTTI_ONNX_GRADIENT(ReduceProdOp) {
  Value data = op.getData(), zero = g.scalar(0, data), one = g.scalar(1, data);
  Value isZero = g.equal(data, zero);
  Value factors = g.select(isZero, one, data), zeros = g.select(isZero, one, zero);
  Value product = g.create<ReduceProdOp>(factors, op.getAxesAttr(), op.getKeepdimsAttr(),
                                         op.getNoopWithEmptyAxesAttr());
  Value count = g.create<ReduceSumOp>(zeros, op.getAxesAttr(), op.getKeepdimsAttr(),
                                      op.getNoopWithEmptyAxesAttr());
  Value others = g.div(spread(op, g.mul(g.into(), product), g), factors);
  g.give(0, g.select(g.equal(zeros, spread(op, count, g)), others, zero));
  return success();
}

// What an entry was added to: the sums on the other side of it.
TUTTI_ONNX_GRADIENT(CumSumOp) {
  auto turned = Builder(op.getContext()).getI64IntegerAttr(op.getReverse() == 0);
  g.give(0, g.create<CumSumOp>(g.into(), op.getAxisAttr(), op.getExclusiveAttr(), turned));
  return success();
}
