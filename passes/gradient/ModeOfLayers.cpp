// Training and inference mode of layers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/StepBuilder.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;

/// The place where the next value of a running statistic is noted; null for a constant, which has
/// none.
static Value *statisticOf(OpOperand &operand, MutableArrayRef<Value> newValues) {
  auto argument = dyn_cast<BlockArgument>(operand.get());
  return argument ? &newValues[argument.getArgNumber()] : nullptr;
}

/// The layer reads both statistics at their latest values, then updates them.
static void setTraining(onnx::BatchNormalizationOp op, MutableArrayRef<Value> newValues) {
  op.setTrainingMode(1);
  Value *mean = statisticOf(op.getInputMeanMutable(), newValues);
  Value *variance = statisticOf(op.getInputVarMutable(), newValues);
  if (mean)
    op.getInputMeanMutable().set(*mean);
  if (variance)
    op.getInputVarMutable().set(*variance);
  if (mean)
    *mean = op.getRunningMean();
  if (variance)
    *variance = op.getRunningVar();
}

static void setTraining(onnx::DropoutOp op, bool training) {
  OpBuilder builder(op);
  auto type = RankedTensorType::get({}, builder.getI1Type());
  Value mode =
      onnx::ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(type, training));
  op.getTrainingModeMutable().assign(mode);
}

/// Whether a layer was exported in training mode.
static bool hasTrainingMode(FunctionOpInterface function) {
  auto isTraining = [](Operation *op) {
    if (auto norm = dyn_cast<onnx::BatchNormalizationOp>(op))
      return norm.getTrainingMode() != 0;
    auto dropout = dyn_cast<onnx::DropoutOp>(op);
    DenseElementsAttr mode;
    return dropout && dropout.getTrainingMode() &&
           matchPattern(dropout.getTrainingMode(), m_Constant(&mode)) && mode.isSplat() &&
           mode.getSplatValue<bool>();
  };
  return function
      .walk([&](Operation *op) {
        return isTraining(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

unsigned tutti::gradient::setTrainingMode(FunctionOpInterface function,
                                          MutableArrayRef<Value> newValues,
                                          function_ref<bool(Value)> isFrozen) {
  bool isChosenByLayer = hasTrainingMode(function);
  unsigned kept = 0;
  function.walk([&](onnx::BatchNormalizationOp op) {
    bool isKept = (isChosenByLayer && op.getTrainingMode() == 0) || isFrozen(op.getInputMean()) ||
                  isFrozen(op.getInputVar());
    kept += isKept;
    if (isKept)
      op.setTrainingMode(0);
    else
      setTraining(op, newValues);
  });
  function.walk([&](onnx::DropoutOp op) { setTraining(op, true); });
  return kept;
}

void tutti::gradient::setInferenceMode(FunctionOpInterface function) {
  function.walk([&](onnx::BatchNormalizationOp op) { op.setTrainingMode(0); });
  function.walk([&](onnx::DropoutOp op) { setTraining(op, false); });
}
