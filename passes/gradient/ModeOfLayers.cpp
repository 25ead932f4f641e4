// Training and inference mode of layers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/StepBuilder.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Builders.h"

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

void tutti::gradient::setTrainingMode(FunctionOpInterface function,
                                      MutableArrayRef<Value> newValues) {
  function.walk([&](onnx::BatchNormalizationOp op) { setTraining(op, newValues); });
  function.walk([&](onnx::DropoutOp op) { setTraining(op, true); });
}

void tutti::gradient::setInferenceMode(FunctionOpInterface function) {
  function.walk([&](onnx::BatchNormalizationOp op) { op.setTrainingMode(0); });
  function.walk([&](onnx::DropoutOp op) { setTraining(op, false); });
}
