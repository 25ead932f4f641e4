// Scales the loss, unscales its gradients, and skips steps that overflowed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/step/StepChanges.h"

#include "passes/gradient/ForwardFunction.h"

#include "dialects/train/Train.h"
#include "lib/program/ProgramEdit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;
using train::TrainDialect;
using Result = ForwardFunction::Result;

static constexpr StringLiteral scaleName = "loss_scale", trackerName = "loss_scale.growth_tracker",
                               skippedName = "skipped";

namespace {

class LossScaler {
public:
  LossScaler(const LossScale &scale, program::Program program)
      : options(scale), edit(program), step(program.step), builder(program.step.getContext()),
        location(NameLoc::get(builder.getStringAttr(scaleName), program.step.getLoc())) {}

  LogicalResult run() {
    if (failed(collectGradients()) || failed(checkNames()))
      return failure();
    addScale();
    unscaleGradients();
    SmallVector<Result> results = step.results();
    skipWhereNotFinite(results);
    updateScale();
    report(results);
    step.setResults(results);
    edit.apply();
    return success();
  }

private:
  LogicalResult collectGradients();
  LogicalResult checkNames();
  void addScale();
  Value addVariable(StringRef name, TypedAttr initial);
  void unscaleGradients();
  void skipWhereNotFinite(SmallVectorImpl<Result> &results);
  void updateScale();
  void report(SmallVectorImpl<Result> &results);

  DenseElementsAttr scalar(double value) {
    return DenseElementsAttr::get(RankedTensorType::get({}, builder.getF32Type()), float(value));
  }

  const LossScale &options;
  program::ProgramEdit edit;
  ForwardFunction step;
  OpBuilder builder;
  Location location;
  SmallVector<Operation *> gradientOps; ///< in program order
  llvm::SetVector<Value> gradients;     ///< what optimizers take
  Value scale, tracker, finite;
};

} // namespace

/// The result of train.gradient that `optimizer` takes, perhaps marked; null if it takes something
/// else.
static Value findGradient(OptimizerOpInterface optimizer) {
  Value gradient = optimizer.getGradientMutable().get();
  while (auto mark = gradient.getDefiningOp<train::MarkGradientOp>())
    gradient = mark.getGradient();
  return gradient.getDefiningOp<train::GradientOp>() ? gradient : Value();
}

LogicalResult LossScaler::collectGradients() {
  WalkResult walked = step.op().walk([&](OptimizerOpInterface optimizer) {
    Value gradient = findGradient(optimizer);
    if (!gradient) {
      mlir::emitError(optimizer.getLoc())
          << "recipe: loss-scale: '" << optimizer->getName()
          << "' must take a result of train.gradient as it is, to be unscaled before anything "
             "else is done with it";
      return WalkResult::interrupt();
    }
    if (gradient.getDefiningOp()->getBlock() != &step.body()) {
      mlir::emitError(gradient.getLoc())
          << "recipe: loss-scale: the train.gradient that '" << optimizer->getName()
          << "' takes stands in a region of '" << gradient.getDefiningOp()->getParentOp()->getName()
          << "'; it must stand in the body of @step";
      return WalkResult::interrupt();
    }
    gradientOps.push_back(gradient.getDefiningOp());
    gradients.insert(gradient);
    return WalkResult::advance();
  });
  // Optimizers may take the gradients in another order than they are computed in.
  llvm::sort(gradientOps, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  gradientOps.erase(llvm::unique(gradientOps), gradientOps.end());
  if (!walked.wasInterrupted() && gradients.empty())
    return mlir::emitError(step.op().getLoc()) << "recipe: loss-scale: @step has no optimizer";
  return failure(walked.wasInterrupted());
}

/// What is added must not have the name of something that is there.
LogicalResult LossScaler::checkNames() {
  for (const Result &result : step.results()) {
    auto variable = dyn_cast_or_null<train::VariableAttr>(result.attribute);
    auto metric = dyn_cast_or_null<StringAttr>(result.attribute);
    StringRef name = variable ? variable.getName() : metric ? metric.getValue() : StringRef();
    if (name == skippedName || (options.isDynamic && (name == scaleName || name == trackerName)))
      return mlir::emitError(step.op().getLoc())
             << "recipe: loss-scale: @step returns '" << name
             << "' already, which is the name of what loss scaling adds";
  }
  return success();
}

Value LossScaler::addVariable(StringRef name, TypedAttr initial) {
  auto role = train::VariableAttr::get(builder.getContext(), name, train::VariableClass::State);
  return edit.addVariable(role, initial, location);
}

void LossScaler::addScale() {
  if (options.isDynamic) {
    scale = addVariable(scaleName, scalar(options.value));
    auto count = RankedTensorType::get({}, builder.getI64Type());
    tracker = addVariable(trackerName, DenseElementsAttr::get(count, int64_t(0)));
    return;
  }
  builder.setInsertionPointToStart(&step.body());
  scale = arith::ConstantOp::create(builder, location, scalar(options.value));
}

/// Scales each value that is differentiated, and unscales its gradients for all their users.
void LossScaler::unscaleGradients() {
  SmallVector<Value> unscaled;
  for (Operation *op : gradientOps) {
    auto gradient = cast<train::GradientOp>(op);
    builder.setInsertionPoint(op);
    Value factor = scale, loss = gradient.getValue();
    auto type = RankedTensorType::get({}, getElementTypeOrSelf(loss));
    if (type.getElementTypeBitWidth() < 32)
      factor = arith::TruncFOp::create(builder, location, type, factor);
    if (type.getElementTypeBitWidth() > 32)
      factor = arith::ExtFOp::create(builder, location, type, factor);
    Value scaled = train::ScaleOp::create(builder, location, loss.getType(), loss, factor);
    gradient.getValueMutable().assign(scaled);
    builder.setInsertionPointAfter(op);
    for (Value result : gradient.getGradients()) {
      auto own =
          train::UnscaleOp::create(builder, result.getLoc(), result.getType(), result, scale);
      result.replaceAllUsesExcept(own, own);
      if (gradients.contains(result))
        unscaled.push_back(own);
    }
  }
  finite = train::AllFiniteOp::create(builder, location, unscaled);
}

void LossScaler::skipWhereNotFinite(SmallVectorImpl<Result> &results) {
  builder.setInsertionPoint(step.returned());
  for (unsigned index = 0, count = step.countVariables(); index < count; ++index) {
    Value old = step.op().getArgument(index), &value = results[index].value;
    if (value != old)
      value = train::SelectOp::create(builder, value.getLoc(), value.getType(), finite, value, old);
  }
}

void LossScaler::updateScale() {
  if (!options.isDynamic)
    return;
  auto update = train::UpdateLossScaleOp::create(
      builder, location, scale, tracker, finite, builder.getF32FloatAttr(2),
      builder.getF32FloatAttr(0.5), builder.getI64IntegerAttr(options.growthInterval));
  edit.setNext(scale, update.getNewScale());
  edit.setNext(tracker, update.getNewGrowthTracker());
}

/// The scale of this step, if it changes, and whether the step was skipped.
void LossScaler::report(SmallVectorImpl<Result> &results) {
  Value zero = arith::ConstantOp::create(builder, location, scalar(0));
  Value one = arith::ConstantOp::create(builder, location, scalar(1));
  Value skipped = train::SelectOp::create(builder, location, zero.getType(), finite, zero, one);
  auto *place = llvm::find_if(
      results, [](const Result &result) { return result.role == TrainDialect::kOutput; });
  auto add = [&](StringRef name, Value value) {
    place = results.insert(place, {value, TrainDialect::kMetric, builder.getStringAttr(name)}) + 1;
  };
  if (options.isDynamic)
    add(scaleName, scale);
  add(skippedName, skipped);
}

LogicalResult tutti::gradient::scaleLoss(ModuleOp program, const LossScale &scale) {
  auto initialize = program.lookupSymbol<func::FuncOp>("initialize");
  auto step = program.lookupSymbol<func::FuncOp>("step");
  if (!initialize || !step || !step.getBody().hasOneBlock())
    return program.emitError(
        "recipe: loss-scale needs @initialize, and a @step with a body of one block");
  return LossScaler(scale, {program, initialize, step}).run();
}
