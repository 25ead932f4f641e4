// Gradients of the softmax family and of the loss made of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

using namespace mlir;
using namespace tutti::onnx;

TUTTI_ONNX_GRADIENT(SoftmaxOp) {
  g.give(0, g.create<SoftmaxGradOp>(g.into(), op.getOutput(), op.getAxisAttr()));
  return success();
}

TUTTI_ONNX_GRADIENT(LogSoftmaxOp) {
  g.give(0, g.create<LogSoftmaxGradOp>(g.into(), op.getOutput(), op.getAxisAttr()));
  return success();
}

// Both results depend on the scores: the loss, and the logarithms of the softmax along dimension 1.
TUTTI_ONNX_GRADIENT(SoftmaxCrossEntropyLossOp) {
  if (g.wants(2))
    return op.emitOpError(
        "has no gradient for its weights; only the scores may depend on a variable");
  Value total;
  if (Value dy = g.into(0))
    total = g.create<SoftmaxCrossEntropyLossGradOp>(dy, op.getLogProb(), op.getLabels(),
                                                    op.getWeights(), op.getIgnoreIndexAttr(),
                                                    op.getReductionAttr());
  if (Value dy = g.into(1)) {
    Value second = g.create<LogSoftmaxGradOp>(dy, op.getLogProb(),
                                              Builder(op.getContext()).getI64IntegerAttr(1));
    total = total ? g.add(total, second) : second;
  }
  g.give(0, total);
  return success();
}
