// The number of steps that a program has done, as one of its variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/program/StepCounter.h"

#include "dialects/collective/Collective.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using tutti::train::TrainDialect;

static RankedTensorType counterType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 64));
}

static bool isConstant(Value value, int64_t expected) {
  DenseIntElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) &&
         constant.getSplatValue<APInt>().getSExtValue() == expected;
}

/// Whether `next` is the variable `role` of `step` and one.
static bool addsOne(func::FuncOp step, Value next, train::VariableAttr role) {
  auto add = next.getDefiningOp<arith::AddIOp>();
  auto argument = add ? dyn_cast<BlockArgument>(add.getLhs()) : BlockArgument();
  return argument && argument.getOwner() == &step.getBody().front() &&
         step.getArgAttr(argument.getArgNumber(), TrainDialect::kVariable) == role &&
         isConstant(add.getRhs(), 1);
}

/// What @initialize computes for `role`, before it is broadcast.
static Value findInitial(func::FuncOp initialize, train::VariableAttr role) {
  for (VariableResult variable : getVariableResults(initialize)) {
    if (variable.role != role)
      continue;
    Value value = variable.value->get();
    if (auto broadcast = value.getDefiningOp<collective::BroadcastOp>())
      return broadcast.getInputs()[cast<OpResult>(value).getResultNumber()];
    return value;
  }
  return {};
}

Value tutti::program::findStepCounter(Program program) {
  for (VariableResult variable : getVariableResults(program.step)) {
    Value next = variable.value->get();
    if (next.getType() != counterType(next.getContext()) || !variable.role.isReplicated() ||
        !addsOne(program.step, next, variable.role))
      continue;
    Value initial = findInitial(program.initialize, variable.role);
    if (initial && isConstant(initial, 0))
      return next;
  }
  return {};
}

/// How many of the first results of `function` are variables.
static unsigned countVariables(func::FuncOp function) {
  return getVariableResults(function).size();
}

static DictionaryAttr roleAsAttributes(train::VariableAttr role) {
  Builder builder(role.getContext());
  return builder.getDictionaryAttr(builder.getNamedAttr(TrainDialect::kVariable, role));
}

/// Returns `value` as variable `role`, behind the other variables.
static void returnVariable(func::FuncOp function, Value value, train::VariableAttr role) {
  unsigned place = countVariables(function);
  (void)function.insertResult(place, value.getType(), roleAsAttributes(role));
  function.getBody().front().getTerminator()->insertOperands(place, value);
}

static Value createNumber(OpBuilder &builder, Location loc, int64_t value) {
  auto type = counterType(builder.getContext());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, builder.getI64IntegerAttr(value)));
}

Value tutti::program::addStepCounter(Program program, StringRef name) {
  MLIRContext *context = program.module.getContext();
  auto role = train::VariableAttr::get(context, name, train::VariableClass::Other);
  OpBuilder atEnd(program.initialize.getBody().front().getTerminator());
  returnVariable(program.initialize, createNumber(atEnd, program.initialize.getLoc(), 0), role);
  Location loc = program.step.getLoc();
  unsigned place = countVariables(program.step);
  (void)program.step.insertArgument(place, counterType(context), roleAsAttributes(role), loc);
  atEnd.setInsertionPoint(program.step.getBody().front().getTerminator());
  Value next = arith::AddIOp::create(atEnd, loc, program.step.getArgument(place),
                                     createNumber(atEnd, loc, 1));
  returnVariable(program.step, next, role);
  return next;
}
