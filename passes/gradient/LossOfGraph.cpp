// Finds the loss of a graph or adds it.
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

static StringRef nameOf(Recipe::Loss loss) {
  switch (loss) {
  case Recipe::Loss::SoftmaxCrossEntropy:
    return "softmax-cross-entropy";
  case Recipe::Loss::MeanSquaredError:
    return "mse";
  case Recipe::Loss::Output:
    return "output";
  }
  llvm_unreachable("all losses are named");
}

/// The scores of the samples: the only output.
static FailureOr<Value> findScores(ForwardFunction function, Recipe::Loss loss) {
  auto emitError = [&]() {
    return function.op().emitError("recipe: loss=") << nameOf(loss) << " ";
  };
  ValueRange outputs = function.returned().getOperands();
  if (outputs.size() != 1)
    return emitError() << "needs a graph with one output, got " << outputs.size();
  bool ofClasses = loss == Recipe::Loss::SoftmaxCrossEntropy;
  StringRef wanted = ofClasses ? "scores of shape [batch, classes]" : "one value or more a sample";
  auto type = dyn_cast<RankedTensorType>(outputs[0].getType());
  if (type && isFloatScalar(type))
    return emitError() << "needs " << wanted << ", but the output is a scalar; if it is the loss, "
                       << "say loss=output";
  if (!type || !isa<FloatType>(type.getElementType()) || (ofClasses && type.getRank() != 2))
    return emitError() << "needs float " << wanted << ", got " << outputs[0].getType();
  if (function.hasInput(labelName))
    return emitError()
           << "adds the input 'label', but the graph has one already; if it ends in its loss, say "
           << "loss=output";
  return outputs[0];
}

static Location locationIn(ForwardFunction function, StringRef name) {
  MLIRContext *context = function.op()->getContext();
  return NameLoc::get(StringAttr::get(context, name), function.op().getLoc());
}

static Value addLabel(ForwardFunction function, RankedTensorType type) {
  auto role = train::InputAttr::get(type.getContext(), labelName, function.dataset());
  return function.addArgument({type, TrainDialect::kInput, role, locationIn(function, labelName)});
}

static onnx::SoftmaxCrossEntropyLossOp addCrossEntropy(ForwardFunction function, Value scores) {
  OpBuilder builder(function.returned());
  auto type = cast<RankedTensorType>(scores.getType());
  Location location = locationIn(function, "loss");
  Value label =
      addLabel(function, RankedTensorType::get({type.getDimSize(0)}, builder.getI64Type()));
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

/// (scores - label)^2 of each element.
static Value addSquaredErrors(ForwardFunction function, Value scores) {
  OpBuilder builder(function.returned());
  Location location = locationIn(function, "loss");
  Value label = addLabel(function, cast<RankedTensorType>(scores.getType()));
  Value error = onnx::SubOp::create(builder, location, ValueRange{scores, label});
  return onnx::MulOp::create(builder, location, ValueRange{error, error});
}

/// The mean over all axes.
static Value addMean(ForwardFunction function, Value value) {
  OpBuilder builder(function.returned());
  return onnx::ReduceMeanOp::create(builder, value.getLoc(), value, /*axes=*/nullptr,
                                    /*keepdims=*/0, /*noop_with_empty_axes=*/0);
}

FailureOr<LossOfGraph> LossOfGraph::add(ForwardFunction function, Recipe::Loss kind) {
  if (kind == Recipe::Loss::Output)
    return findLoss(function);
  FailureOr<Value> scores = findScores(function, kind);
  if (failed(scores))
    return failure();
  LossOfGraph loss;
  if (kind == Recipe::Loss::SoftmaxCrossEntropy) {
    loss.value = addCrossEntropy(function, *scores).getOutput();
    return loss;
  }
  loss.ofElements = addSquaredErrors(function, *scores);
  loss.value = addMean(function, loss.ofElements);
  return loss;
}
