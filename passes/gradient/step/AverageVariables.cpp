// Exponential means of the variables that a step trains, which the evaluation takes in their place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/step/StepChanges.h"

#include "dialects/train/Train.h"
#include "lib/program/ProgramEdit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using train::TrainDialect;
using train::VariableAttr;
using train::VariableClass;

static constexpr StringLiteral suffix = ".ema";

static Value scale(OpBuilder &builder, Location loc, Value value, double factor) {
  Type element = getElementTypeOrSelf(value);
  auto number = DenseElementsAttr::get(RankedTensorType::get({}, element),
                                       builder.getFloatAttr(element, factor));
  return train::ScaleOp::create(builder, loc, value.getType(), value,
                                arith::ConstantOp::create(builder, loc, number));
}

/// What @step returns for the trainable float variables that it changes.
static SmallVector<VariableResult> findTrained(func::FuncOp step) {
  VariablePlaces places(step);
  SmallVector<VariableResult> trained;
  for (VariableResult variable : getVariableResults(step)) {
    Value next = variable.value->get();
    if (variable.role.getVariableClass() == VariableClass::Trainable &&
        isa<FloatType>(getElementTypeOrSelf(next)) && next != places.getArgument(variable.role))
      trained.push_back(variable);
  }
  return trained;
}

/// A variable of that name must be there no more than once.
static LogicalResult checkIsFree(Program program, StringRef name) {
  for (VariableResult variable : getVariableResults(program.step))
    if (variable.role.getName() == name)
      return mlir::emitError(program.step.getLoc())
             << "recipe: ema: the program has a variable '" << name << "' already";
  return success();
}

/// Arguments of @evaluate hold the means.
static void evaluateMeans(func::FuncOp evaluate,
                          const llvm::DenseMap<Attribute, VariableAttr> &means) {
  for (unsigned index = 0; index < evaluate.getNumArguments(); ++index)
    if (VariableAttr mean = means.lookup(evaluate.getArgAttr(index, TrainDialect::kVariable)))
      evaluate.setArgAttr(index, TrainDialect::kVariable, mean);
}

LogicalResult gradient::averageVariables(ModuleOp module, double decay) {
  FailureOr<Program> program = Program::find(module);
  if (failed(program))
    return failure();
  ProgramEdit edit(*program);
  OpBuilder builder(program->step.getBody().front().getTerminator());
  llvm::DenseMap<Attribute, VariableAttr> means;
  for (VariableResult variable : findTrained(program->step)) {
    std::string name = (variable.role.getName() + suffix).str();
    if (failed(checkIsFree(*program, name)))
      return failure();
    auto role = VariableAttr::get(module.getContext(), name, VariableClass::State);
    Value next = variable.value->get();
    Location loc = next.getLoc();
    Value before = edit.copyVariable(variable.role, role, loc);
    Value kept = scale(builder, loc, before, decay);
    Value taken = scale(builder, loc, next, 1 - decay);
    edit.setNext(before, arith::AddFOp::create(builder, loc, kept, taken));
    means[variable.role] = role;
  }
  if (means.empty())
    return mlir::emitError(program->step.getLoc()) << "recipe: ema: @step trains no variable";
  edit.apply();
  if (auto evaluate = module.lookupSymbol<func::FuncOp>("evaluate"))
    evaluateMeans(evaluate, means);
  return success();
}
