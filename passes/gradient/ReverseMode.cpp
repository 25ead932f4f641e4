// Reverse-mode differentiation of one value of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/ReverseMode.h"

#include "dialects/interfaces/Differentiable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;

/// Gradients flow only through floats: integers have no derivative.
static bool carriesGradient(Value value) {
  return isa<RankedTensorType>(value.getType()) &&
         isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

std::string gradient::nameOfVariable(train::GradientOp gradient, unsigned index) {
  Value variable = gradient.getVariables()[index];
  if (auto argument = dyn_cast<BlockArgument>(variable))
    if (auto function = dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      if (auto role = function.getArgAttrOfType<train::VariableAttr>(
              argument.getArgNumber(), train::TrainDialect::kVariable))
        return ("'" + role.getName() + "'").str();
  return "number " + std::to_string(index) + " of train.gradient";
}

ReverseMode::ReverseMode(train::GradientOp gradient) : gradient(gradient), builder(gradient) {
  for (auto [i, variable] : llvm::enumerate(gradient.getVariables()))
    variables.try_emplace(variable, i);
}

std::optional<unsigned> ReverseMode::findVariableOf(Operation *op) const {
  SetVector<Value> captured;
  if (op->getNumRegions())
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (auto values : {ValueRange(op->getOperands()), ValueRange(captured.getArrayRef())})
    for (Value value : values)
      if (auto found = active.find(value); found != active.end())
        return found->second;
  return std::nullopt;
}

void ReverseMode::findActiveValues() {
  active = variables;
  Block *block = gradient->getBlock();
  for (Operation &op : llvm::make_range(block->begin(), gradient->getIterator()))
    if (std::optional<unsigned> variable = findVariableOf(&op))
      for (Value result : op.getResults())
        if (carriesGradient(result))
          active.try_emplace(result, *variable);
}

SmallVector<Value> ReverseMode::takeResultGradients(Operation *op) {
  SmallVector<Value> gradients;
  for (Value result : op->getResults())
    gradients.push_back(variables.contains(result) ? Value() : flowing.lookup(result));
  return llvm::any_of(gradients, [](Value v) { return static_cast<bool>(v); })
             ? gradients
             : SmallVector<Value>();
}

LogicalResult ReverseMode::reportMissingRule(Operation *op) {
  InFlightDiagnostic error =
      op->emitError("'") << op->getName().getStringRef()
                         << "' has no gradient, but the gradient of variable "
                         << nameOfVariable(gradient, *findVariableOf(op)) << " passes through it";
  error.attachNote(gradient.getLoc())
      << "the gradient is asked for here; leave the variable out (freeze it), or "
         "replace the operation";
  return error;
}

LogicalResult ReverseMode::passOn(Operation *op, ValueRange operandGradients) {
  for (auto [operand, added] : llvm::zip_equal(op->getOperands(), operandGradients)) {
    if (!added)
      continue;
    if (added.getType() != operand.getType())
      return op->emitOpError("gave a gradient of type ")
             << added.getType() << " for an operand of type " << operand.getType();
    Value &sum = flowing[operand];
    if (sum) {
      sum = arith::AddFOp::create(builder, op->getLoc(), sum, added);
      ++sums;
    } else {
      sum = added;
    }
  }
  return success();
}

LogicalResult ReverseMode::differentiate(Operation *op) {
  SmallVector<Value> resultGradients = takeResultGradients(op);
  if (resultGradients.empty() || !findVariableOf(op))
    return success();
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  if (!rule)
    return reportMissingRule(op);
  llvm::SmallBitVector wanted(op->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    wanted[i] = active.contains(operand);
  SmallVector<Value> operandGradients;
  if (failed(rule.buildGradient(builder, resultGradients, wanted, operandGradients)))
    return failure();
  ++differentiated;
  return passOn(op, operandGradients);
}

FailureOr<SmallVector<Value>> ReverseMode::run() {
  findActiveValues();
  Value value = gradient.getValue();
  flowing[value] =
      train::FullLikeOp::create(builder, gradient.getLoc(), value, builder.getF64FloatAttr(1.0));
  // Gradients are built before the train.gradient, so the block grows while it is walked: list it
  // first.
  SmallVector<Operation *> operations;
  for (Operation &op : llvm::make_range(gradient->getBlock()->begin(), gradient->getIterator()))
    operations.push_back(&op);
  for (Operation *op : llvm::reverse(operations))
    if (failed(differentiate(op)))
      return failure();
  return llvm::map_to_vector(gradient.getVariables(),
                             [&](Value variable) { return flowing.lookup(variable); });
}
