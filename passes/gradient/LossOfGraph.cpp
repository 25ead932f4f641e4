// Finds the loss of a graph or adds it, for all samples together or for each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/LossOfGraph.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;
using train::TrainDialect;

static constexpr StringLiteral labelName = "label";

static bool isFloatScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 && isa<FloatType>(tensor.getElementType());
}

/// The scores of the samples: the only output.
static FailureOr<Value> findScores(ForwardFunction function) {
  auto emitError = [&]() { return function.op().emitError("recipe: loss=softmax-cross-entropy "); };
  ValueRange outputs = function.returned().getOperands();
  if (outputs.size() != 1)
    return emitError() << "needs a graph with one output, got " << outputs.size();
  auto type = dyn_cast<RankedTensorType>(outputs[0].getType());
  if (type && isFloatScalar(type))
    return emitError() << "needs scores of shape [batch, classes], but the output is a scalar; if "
                          "it is the loss, "
                       << "say loss=output";
  if (!type || type.getRank() != 2 || !isa<FloatType>(type.getElementType()))
    return emitError() << "needs float scores of shape [batch, classes], got "
                       << outputs[0].getType();
  if (function.hasInput(labelName))
    return emitError()
           << "adds the input 'label', but the graph has one already; if it ends in its loss, say "
           << "loss=output";
  return outputs[0];
}

static onnx::SoftmaxCrossEntropyLossOp addCrossEntropy(ForwardFunction function, Value scores) {
  OpBuilder builder(function.returned());
  auto type = cast<RankedTensorType>(scores.getType());
  Location location = NameLoc::get(builder.getStringAttr("loss"), function.op().getLoc());
  Value label = function.addArgument(
      {RankedTensorType::get({type.getDimSize(0)}, builder.getI64Type()), TrainDialect::kInput,
       train::InputAttr::get(builder.getContext(), labelName, function.dataset()),
       NameLoc::get(builder.getStringAttr(labelName), function.op().getLoc())});
  return onnx::SoftmaxCrossEntropyLossOp::create(
      builder, location, TypeRange{RankedTensorType::get({}, type.getElementType()), type},
      ValueRange{scores, label}, ArrayRef<NamedAttribute>());
}

static FailureOr<LossOfGraph> findLoss(ForwardFunction function) {
  LossOfGraph loss;
  for (const ForwardFunction::Result &result : function.results()) {
    if (!isFloatScalar(result.value.getType())) {
      loss.otherResults.push_back(result);
      continue;
    }
    if (loss.value)
      return function.op().emitError(
          "recipe: loss=output needs one scalar float output, but the graph has several");
    loss.value = result.value;
  }
  if (!loss.value)
    return function.op().emitError(
        "recipe: loss=output needs a scalar float output, but the graph has none");
  return loss;
}

FailureOr<LossOfGraph> LossOfGraph::add(ForwardFunction function, Recipe::Loss kind) {
  if (kind == Recipe::Loss::Output)
    return findLoss(function);
  FailureOr<Value> scores = findScores(function);
  if (failed(scores))
    return failure();
  LossOfGraph loss;
  loss.value = addCrossEntropy(function, *scores).getOutput();
  return loss;
}

bool LossOfGraph::canBePerSample() const {
  onnx::SoftmaxCrossEntropyLossOp op = crossEntropy();
  return op && op.getReduction() == "mean" && !op.getWeights() &&
         cast<RankedTensorType>(op.getScores().getType()).getRank() == 2;
}

Value LossOfGraph::makePerSample() {
  onnx::SoftmaxCrossEntropyLossOp op = crossEntropy();
  auto type = cast<RankedTensorType>(op.getScores().getType());
  op.setReduction("none");
  op.getOutput().setType(RankedTensorType::get({type.getDimSize(0)}, type.getElementType()));
  return op.getOutput();
}

Value LossOfGraph::addAccuracy(OpBuilder &builder) {
  onnx::SoftmaxCrossEntropyLossOp op = crossEntropy();
  auto type = cast<RankedTensorType>(op.getScores().getType());
  return train::AccuracyOp::create(
      builder, op.getLoc(), RankedTensorType::get({type.getDimSize(0)}, builder.getF32Type()),
      op.getScores(), op.getLabels());
}
