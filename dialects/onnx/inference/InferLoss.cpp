// Type inference of the softmax family, the loss, their gradients and the gradients of activations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::onnx;

static LogicalResult inferAlongAxis(Inference infer, Value input, int64_t axis) {
  if (failed(infer.requireAxis(axis, input)))
    return failure();
  return infer.giveTypeOf(input);
}

TUTTI_ONNX_INFER(SoftmaxOp) {
  return inferAlongAxis({getOperationName(), location, types}, adaptor.getInput(),
                        adaptor.getAxis());
}

TUTTI_ONNX_INFER(LogSoftmaxOp) {
  return inferAlongAxis({getOperationName(), location, types}, adaptor.getInput(),
                        adaptor.getAxis());
}

static LogicalResult inferSoftmaxGradient(Inference infer, Value dy, Value y, int64_t axis) {
  if (failed(infer.requireSameType(dy, "dY", y, "Y")))
    return failure();
  return inferAlongAxis(infer, y, axis);
}

TUTTI_ONNX_INFER(SoftmaxGradOp) {
  return inferSoftmaxGradient({getOperationName(), location, types}, adaptor.getDY(),
                              adaptor.getY(), adaptor.getAxis());
}

TUTTI_ONNX_INFER(LogSoftmaxGradOp) {
  return inferSoftmaxGradient({getOperationName(), location, types}, adaptor.getDY(),
                              adaptor.getY(), adaptor.getAxis());
}

/// Checks scores, labels, weights and reduction; gives the shape of the labels.
static FailureOr<Shape> checkLoss(const Inference &infer, Value scores, StringRef scoresName,
                                  Value labels, StringRef labelsName, Value weights,
                                  StringRef reduction) {
  if (failed(infer.requireRank(scores, scoresName, 2))) // softmaxcrossentropyloss_c1
    return failure();
  Shape expected(shapeOf(scores));
  int64_t classes = expected[1];
  expected.erase(expected.begin() + 1);
  if (failed(infer.requireShape(labels, labelsName, expected)) || // softmaxcrossentropyloss_c1
      failed(infer.requireVector(weights, "weights", classes,
                                 elementOf(scores)))) // softmaxcrossentropyloss_c2
    return failure();
  if (reduction != "none" && reduction != "sum" &&
      reduction != "mean") // softmaxcrossentropyloss_c3
    return infer.error("has reduction '", reduction, "', which is not one of none, sum, mean");
  return *mergeShapes(expected, shapeOf(labels));
}

TUTTI_ONNX_INFER(SoftmaxCrossEntropyLossOp) {
  Inference infer(getOperationName(), location, types);
  Value scores = adaptor.getScores();
  FailureOr<Shape> shape = checkLoss(infer, scores, "scores", adaptor.getLabels(), "labels",
                                     adaptor.getWeights(), adaptor.getReduction());
  if (failed(shape) ||
      failed(infer.give(adaptor.getReduction() == "none" ? *shape : Shape(), elementOf(scores))))
    return failure();
  return infer.giveTypeOf(scores);
}

TUTTI_ONNX_INFER(SoftmaxCrossEntropyLossGradOp) {
  Inference infer(getOperationName(), location, types);
  Value scores = adaptor.getLogProb();
  FailureOr<Shape> shape = checkLoss(infer, scores, "log_prob", adaptor.getLabel(), "label",
                                     adaptor.getWeights(), adaptor.getReduction());
  if (failed(shape) || failed(infer.requireOneElementType({scores, adaptor.getDY()})) ||
      failed(infer.requireShape(adaptor.getDY(), "dY",
                                adaptor.getReduction() == "none" ? *shape : Shape())))
    return failure();
  return infer.giveTypeOf(scores);
}
