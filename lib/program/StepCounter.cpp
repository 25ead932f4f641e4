// The number of steps that a program has done, as one of its variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "lib/program/ProgramEdit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

static RankedTensorType counterType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 64));
}

static bool isConstant(Value value, int64_t expected) {
  DenseIntElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) &&
         constant.getSplatValue<APInt>().getSExtValue() == expected;
}

/// Whether `next` is the variable `role` and one.
static bool addsOne(Value next, train::VariableAttr role) {
  auto add = next.getDefiningOp<arith::AddIOp>();
  return add && findHeldVariable(add.getLhs()) == role && isConstant(add.getRhs(), 1);
}

/// What @initialize computes for `role`, before it is broadcast.
static Value findInitial(func::FuncOp initialize, train::VariableAttr role) {
  for (VariableResult variable : getVariableResults(initialize)) {
    if (variable.role != role)
      continue;
    Value value = variable.value->get();
    auto bucket = value.getDefiningOp<collective::BucketOpInterface>();
    if (bucket && isKind(bucket, {CommunicationKind::Broadcast}))
      return bucket.getInputs()[cast<OpResult>(value).getResultNumber()];
    return value;
  }
  return {};
}

Value tutti::program::findStepCounter(Program program) {
  for (VariableResult variable : getVariableResults(program.step)) {
    Value next = variable.value->get();
    if (next.getType() != counterType(next.getContext()) || !variable.role.isReplicated() ||
        !addsOne(next, variable.role))
      continue;
    Value initial = findInitial(program.initialize, variable.role);
    if (initial && isConstant(initial, 0))
      return next;
  }
  return {};
}

Value tutti::program::addStepCounter(Program program, StringRef name) {
  MLIRContext *context = program.module.getContext();
  Location loc = program.step.getLoc();
  RankedTensorType type = counterType(context);
  auto constant = [&](int64_t value) {
    return DenseElementsAttr::get(type, IntegerAttr::get(type.getElementType(), value));
  };
  ProgramEdit edit(program);
  auto role = train::VariableAttr::get(context, name, train::VariableClass::Other);
  Value before = edit.addVariable(role, constant(0), loc);
  OpBuilder atEnd(program.step.getBody().front().getTerminator());
  Value one = arith::ConstantOp::create(atEnd, loc, constant(1));
  Value next = arith::AddIOp::create(atEnd, loc, before, one);
  edit.setNext(before, next);
  edit.apply();
  return next;
}
