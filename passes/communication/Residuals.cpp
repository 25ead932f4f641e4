// The variables of error feedback.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/communication/Residuals.h"

#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::communication;
using namespace tutti::program;

/// What decides that the update of `optimizer` counts; null if every update does.
static Value findCondition(OptimizerOpInterface optimizer) {
  for (Operation *user : optimizer->getUsers())
    if (auto select = dyn_cast<train::SelectOp>(user))
      return select.getCondition();
  return {};
}

/// Asked once for each condition: every variable of the program may use it.
Operation *ErrorFeedback::findScaleUpdate(Value condition) {
  auto [known, isNew] = scaleUpdates.try_emplace(condition, nullptr);
  if (isNew && condition)
    for (Operation *user : condition.getUsers())
      if (isa<train::UpdateLossScaleOp>(user))
        known->second = user;
  return known->second;
}

static LogicalResult verifyUse(collective::BucketOpInterface op, Operation *scaleUpdate) {
  if (!collective::lookupGroupSize(op, op.getGroupAttr()))
    return mlir::emitError(op.getLoc())
           << "error-feedback needs the number of ranks: run specialize-world first, or let "
              "--distribute=\"compress=... error-feedback=true\" put it off until launch";
  if (!scaleUpdate)
    return success();
  InFlightDiagnostic error =
      mlir::emitError(op.getLoc())
      << "error-feedback conflicts with loss-scale=dynamic: what is left of a gradient at one "
         "scale cannot be added to one at another; choose a fixed loss scale";
  error.attachNote(scaleUpdate->getLoc()) << "the scale changes here";
  return error;
}

LogicalResult ErrorFeedback::findProgram(collective::BucketOpInterface op, const GradientUse &use) {
  auto step = op->getParentOfType<func::FuncOp>();
  auto module = step->getParentOfType<ModuleOp>();
  auto initialize = module.lookupSymbol<func::FuncOp>("initialize");
  if (!use.optimizer || use.name.empty() || !initialize || step.getName() != "step")
    return mlir::emitError(op.getLoc())
           << "error-feedback needs a variable of a training program that the gradient updates";
  if (!edit) {
    program = {module, initialize, step};
    edit.emplace(program);
  }
  return success();
}

FailureOr<Value> ErrorFeedback::narrow(OpBuilder &builder, collective::BucketOpInterface op,
                                       const GradientUse &use, Value value, Type type) {
  if (failed(findProgram(op, use)))
    return failure();
  Value condition = findCondition(use.optimizer);
  if (failed(verifyUse(op, findScaleUpdate(condition))))
    return failure();
  auto role = train::VariableAttr::get(builder.getContext(), use.name + ".residual",
                                       train::VariableClass::State,
                                       train::VariablePlacement::PerRank, ArrayRef<int64_t>());
  Location loc = value.getLoc();
  Value residual =
      edit->addVariable(role, cast<TypedAttr>(builder.getZeroAttr(value.getType())), loc);
  Value whole = arith::AddFOp::create(builder, loc, value, residual);
  Value narrow = arith::TruncFOp::create(builder, loc, type, whole);
  Value sent = arith::ExtFOp::create(builder, loc, value.getType(), narrow);
  Value lost = arith::SubFOp::create(builder, loc, whole, sent);
  if (condition) {
    OpBuilder atEnd(program.step.getBody().front().getTerminator());
    lost = train::SelectOp::create(atEnd, loc, lost.getType(), condition, lost, residual);
  }
  edit->setNext(residual, lost);
  return narrow;
}

void ErrorFeedback::apply() {
  if (edit)
    edit->apply();
}
