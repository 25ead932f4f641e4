// Which operations stand between a reduced gradient and the update.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/GradientChain.h"

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/Train.h"
#include "lib/program/Program.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

std::optional<GradientStage> tutti::program::getGradientStage(Operation *op) {
  using Stage = std::optional<GradientStage>;
  return llvm::TypeSwitch<Operation *, Stage>(op)
      .Case([](train::UnscaleOp) { return GradientStage::Unscale; })
      .Case([](train::AllFiniteOp) { return GradientStage::FiniteCheck; })
      .Case<train::GlobalNormOp, train::SumOfSquaresOp>([](auto) { return GradientStage::Norm; })
      .Case([](train::ClipOp) { return GradientStage::Clip; })
      .Case([](OptimizerOpInterface) { return GradientStage::Update; })
      .Default([](Operation *) { return std::nullopt; });
}

bool tutti::program::measuresGradients(Operation *op) {
  return isa<train::AllFiniteOp, train::GlobalNormOp, train::SumOfSquaresOp>(op);
}

void tutti::program::forEachGradient(Operation *op, llvm::function_ref<void(OpOperand &)> visit) {
  if (auto optimizer = dyn_cast<OptimizerOpInterface>(op))
    return visit(optimizer.getGradientMutable());
  if (isa<train::UnscaleOp, train::ClipOp>(op))
    return visit(op->getOpOperand(0));
  if (measuresGradients(op))
    for (OpOperand &gradient : op->getOpOperands())
      visit(gradient);
}

Value tutti::program::getRawGradient(Value gradient) {
  while (isa_and_nonnull<train::UnscaleOp, train::ClipOp>(gradient.getDefiningOp()))
    gradient = gradient.getDefiningOp()->getOperand(0);
  return gradient;
}

/// What an asynchronous body yields for `awaited`.
static OpOperand *getYielded(CommunicationDoneOpInterface op, Value awaited) {
  CommunicationStartOpInterface start = findStart(op);
  if (!start || start->getNumRegions() == 0)
    return nullptr;
  return &start->getRegion(0).front().getTerminator()->getOpOperand(
      cast<OpResult>(awaited).getResultNumber());
}

OpOperand *tutti::program::getPassedOn(Value value) {
  Operation *op = value.getDefiningOp();
  auto done = dyn_cast_or_null<CommunicationDoneOpInterface>(op);
  if (done && done.getAwaitedFuture())
    return getYielded(done, value);
  if (!op || isa<collective::CollectiveOpInterface>(op))
    return nullptr;
  bool isOneToOne = op->getNumOperands() == 1 && op->getNumResults() == 1;
  bool hasParameters =
      isa<train::ScaleOp, train::UnscaleOp, train::ClipOp, tensor::ExtractSliceOp>(op);
  return isOneToOne || hasParameters ? &op->getOpOperand(0) : nullptr;
}

train::VariableAttr tutti::program::findUpdatedVariable(OptimizerOpInterface optimizer) {
  Value variable = optimizer.getVariable();
  while (OpOperand *whole = getPassedOn(variable))
    variable = whole->get();
  return findHeldVariable(variable);
}

bool tutti::program::isRanksOwn(Value value) {
  train::VariableAttr variable = findHeldVariable(value);
  return variable && variable.getPlacement() == train::VariablePlacement::PerRank;
}

bool tutti::program::updatesRanksOwn(OpOperand &use) {
  llvm::SetVector<OpOperand *> uses;
  uses.insert(&use);
  for (size_t i = 0; i < uses.size(); ++i) {
    Operation *op = uses[i]->getOwner();
    auto optimizer = dyn_cast<OptimizerOpInterface>(op);
    // Checks and norms only measure the gradient; what their results decide is checked at the
    // decision.
    if (measuresGradients(op) || (optimizer && isRanksOwn(optimizer.getVariable())))
      continue;
    if (!isa<train::UnscaleOp, train::ClipOp>(op))
      return false;
    for (OpOperand &next : op->getUses())
      uses.insert(&next);
  }
  return true;
}

/// The reduction's result that became `gradient`, or null.
static Value findReduced(Value gradient) {
  using Kind = CommunicationKind;
  while (!isKind(gradient.getDefiningOp(), {Kind::AllReduce, Kind::ReduceScatter})) {
    OpOperand *from = getPassedOn(gradient);
    if (!from)
      return Value();
    gradient = from->get();
  }
  return gradient;
}

llvm::DenseMap<Value, GradientUse> tutti::program::findReducedGradients(ModuleOp module) {
  llvm::DenseMap<Value, GradientUse> gradients;
  module.walk([&](Operation *op) {
    auto optimizer = dyn_cast<OptimizerOpInterface>(op);
    auto mark = dyn_cast<train::MarkGradientOp>(op);
    if (!optimizer && !mark)
      return;
    Value gradient = optimizer ? optimizer.getGradientMutable().get() : mark.getGradient();
    Value reduced = findReduced(gradient);
    if (!reduced)
      return;
    GradientUse &use = gradients[reduced];
    if (!optimizer || use.optimizer)
      return;
    train::VariableAttr variable = findUpdatedVariable(optimizer);
    use = {optimizer, variable ? variable.getName().str() : ""};
  });
  return gradients;
}
