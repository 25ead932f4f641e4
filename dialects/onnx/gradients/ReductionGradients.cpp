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
