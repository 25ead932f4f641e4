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
using train::TrainDialect;

static train::VariableAttr getVariable(func::FuncOp function, unsigned result) {
  return function.getResultAttrOfType<train::VariableAttr>(result, TrainDialect::kVariable);
}

static func::ReturnOp getReturn(func::FuncOp function) {
  return cast<func::ReturnOp>(function.getBody().front().getTerminator());
}

/// Behind the last variable that `function` returns.
static unsigned getNextVariable(func::FuncOp function) {
  unsigned index = function.getNumResults();
  while (index > 0 && !getVariable(function, index - 1))
    --index;
  return index;
}

static LogicalResult addResult(func::FuncOp function, train::VariableAttr role, Value value) {
  unsigned index = getNextVariable(function);
  Builder builder(function.getContext());
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(TrainDialect::kVariable, role));
  getReturn(function)->insertOperands(index, value);
  return function.insertResult(index, value.getType(), attributes);
}

static FailureOr<BlockArgument> addArgument(func::FuncOp step, train::VariableAttr role,
                                            Type type) {
  unsigned index = 0;
  for (unsigned i = 0; i < step.getNumArguments(); ++i)
    if (step.getArgAttr(i, TrainDialect::kVariable))
      index = i + 1;
  Builder builder(step.getContext());
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(TrainDialect::kVariable, role));
  if (failed(step.insertArgument(index, type, attributes, step.getLoc())))
    return failure();
  return step.getArgument(index);
}

namespace {
/// What decides that the update of a gradient counts, if something does, and whether it depends on
/// a loss scale that changes.
struct Decision {
  Value counts;
  Operation *scaleUpdate = nullptr;
};
} // namespace

static Decision findDecision(OptimizerOpInterface optimizer) {
  Decision decision;
  for (Operation *user : optimizer->getUsers())
    if (auto select = dyn_cast<train::SelectOp>(user))
      decision.counts = select.getCondition();
  if (decision.counts)
    for (Operation *user : decision.counts.getUsers())
      if (isa<train::UpdateLossScaleOp>(user))
        decision.scaleUpdate = user;
  return decision;
}

static LogicalResult verifyUse(collective::BucketOpInterface op, const GradientUse &use,
                               const Decision &decision) {
  if (!collective::lookupGroupSize(op, op.getGroupAttr()))
    return mlir::emitError(op.getLoc())
           << "error-feedback needs the number of ranks: run specialize-world first, or let "
              "--distribute=\"compress=... error-feedback=true\" put it off until launch";
  if (!decision.scaleUpdate)
    return success();
  InFlightDiagnostic error =
      mlir::emitError(op.getLoc())
      << "error-feedback conflicts with loss-scale=dynamic: what is left of a gradient at one "
         "scale cannot be added to one at another; choose a fixed loss scale";
  error.attachNote(decision.scaleUpdate->getLoc()) << "the scale changes here";
  return error;
}

FailureOr<Value> communication::narrowWithFeedback(OpBuilder &builder,
                                                   collective::BucketOpInterface op,
                                                   const GradientUse &use, Value value, Type type) {
  auto step = op->getParentOfType<func::FuncOp>();
  auto module = step->getParentOfType<ModuleOp>();
  auto initialize = module.lookupSymbol<func::FuncOp>("initialize");
  if (!use.optimizer || use.name.empty() || !initialize || step.getName() != "step")
    return mlir::emitError(op.getLoc())
           << "error-feedback needs a variable of a training program that the gradient updates";
  Decision decision = findDecision(use.optimizer);
  if (failed(verifyUse(op, use, decision)))
    return failure();

  auto role = train::VariableAttr::get(builder.getContext(), use.name + ".residual",
                                       train::VariableClass::State,
                                       train::VariablePlacement::PerRank, ArrayRef<int64_t>());
  FailureOr<BlockArgument> residual = addArgument(step, role, value.getType());
  if (failed(residual))
    return failure();
  Location loc = value.getLoc();
  Value whole = arith::AddFOp::create(builder, loc, value, *residual);
  Value narrow = arith::TruncFOp::create(builder, loc, type, whole);
  Value sent = arith::ExtFOp::create(builder, loc, value.getType(), narrow);
  Value lost = arith::SubFOp::create(builder, loc, whole, sent);
  if (decision.counts) {
    OpBuilder atEnd(getReturn(step));
    lost = train::SelectOp::create(atEnd, loc, lost.getType(), decision.counts, lost, *residual);
  }
  OpBuilder initial(getReturn(initialize));
  Value zeros = arith::ConstantOp::create(initial, loc,
                                          cast<TypedAttr>(initial.getZeroAttr(value.getType())));
  if (failed(addResult(step, role, lost)) || failed(addResult(initialize, role, zeros)))
    return failure();
  return narrow;
}
