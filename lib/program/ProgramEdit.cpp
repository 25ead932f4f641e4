// Changes of the variables of a training program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/ProgramEdit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using train::TrainDialect;

static DictionaryAttr attributesOf(train::VariableAttr role) {
  Builder builder(role.getContext());
  return builder.getDictionaryAttr(builder.getNamedAttr(TrainDialect::kVariable, role));
}

static Operation *returnOf(func::FuncOp function) {
  return function.getBody().front().getTerminator();
}

Value ProgramEdit::add(train::VariableAttr role, Value initial, Location loc) {
  OpBuilder atStart = OpBuilder::atBlockBegin(&program.step.getBody().front());
  auto placeholder =
      UnrealizedConversionCastOp::create(atStart, loc, TypeRange(initial.getType()), ValueRange());
  added[placeholder.getResult(0)] = {role, initial, Value()};
  return placeholder.getResult(0);
}

Value ProgramEdit::addVariable(train::VariableAttr role, TypedAttr initial, Location loc) {
  OpBuilder atEnd(returnOf(program.initialize));
  return add(role, arith::ConstantOp::create(atEnd, loc, initial), loc);
}

Value ProgramEdit::copyVariable(train::VariableAttr from, train::VariableAttr role, Location loc) {
  if (initials.empty())
    for (VariableResult variable : getVariableResults(program.initialize))
      initials[variable.role] = variable.value->get();
  Value initial = initials.lookup(from);
  return initial ? add(role, initial, loc) : Value();
}

void ProgramEdit::setNext(Value before, Value next) { added.find(before)->second.next = next; }

/// `attributes` of one argument or result, with another role if it has one of `roles`.
static DictionaryAttr changed(DictionaryAttr attributes,
                              const llvm::DenseMap<Attribute, train::VariableAttr> &roles) {
  auto found = attributes ? roles.find(attributes.get(TrainDialect::kVariable)) : roles.end();
  if (found == roles.end())
    return attributes;
  NamedAttrList edited(attributes);
  edited.set(TrainDialect::kVariable, found->second);
  return edited.getDictionary(found->second.getContext());
}

void ProgramEdit::changeRoles() {
  if (roles.empty())
    return;
  for (auto function : program.module.getOps<func::FuncOp>()) {
    SmallVector<DictionaryAttr> arguments, results;
    function.getAllArgAttrs(arguments);
    function.getAllResultAttrs(results);
    for (DictionaryAttr &attributes : arguments)
      attributes = changed(attributes, roles);
    for (DictionaryAttr &attributes : results)
      attributes = changed(attributes, roles);
    function.setAllArgAttrs(arguments);
    function.setAllResultAttrs(results);
  }
}

/// After the last one of `count` that is a variable.
static unsigned behindVariables(unsigned count, llvm::function_ref<bool(unsigned)> isVariable) {
  while (count > 0 && !isVariable(count - 1))
    --count;
  return count;
}

void ProgramEdit::addResults(func::FuncOp function, Value Added::*value) {
  unsigned place = behindVariables(function.getNumResults(), [&](unsigned index) {
    return bool(function.getResultAttr(index, TrainDialect::kVariable));
  });
  SmallVector<Value> values;
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (auto &[before, variable] : added) {
    values.push_back(variable.*value);
    types.push_back(values.back().getType());
    attributes.push_back(attributesOf(variable.role));
  }
  returnOf(function)->insertOperands(place, values);
  (void)function.insertResults(SmallVector<unsigned>(values.size(), place), types, attributes);
}

SmallVector<BlockArgument> ProgramEdit::addArguments() {
  func::FuncOp step = program.step;
  unsigned place = behindVariables(step.getNumArguments(), [&](unsigned index) {
    return bool(step.getArgAttr(index, TrainDialect::kVariable));
  });
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Location> locations;
  for (auto &[before, variable] : added) {
    types.push_back(before.getType());
    attributes.push_back(attributesOf(variable.role));
    locations.push_back(before.getLoc());
  }
  (void)step.insertArguments(SmallVector<unsigned>(types.size(), place), types, attributes,
                             locations);
  SmallVector<BlockArgument> arguments;
  for (auto &[before, variable] : added) {
    arguments.push_back(step.getArgument(place + arguments.size()));
    before.replaceAllUsesWith(arguments.back());
    before.getDefiningOp()->erase();
  }
  return arguments;
}

/// After all results: what takes the others by number is not disturbed.
void ProgramEdit::addMetrics() {
  for (auto &[name, value] : metrics) {
    Builder builder(value.getContext());
    auto role = builder.getNamedAttr(TrainDialect::kMetric, builder.getStringAttr(name));
    Operation *end = returnOf(program.step);
    end->insertOperands(end->getNumOperands(), value);
    (void)program.step.insertResult(program.step.getNumResults(), value.getType(),
                                    builder.getDictionaryAttr(role));
  }
}

/// The types that the function takes and returns may have changed in its body.
static void updateType(func::FuncOp function) {
  function.setType(FunctionType::get(function.getContext(),
                                     function.getBody().front().getArgumentTypes(),
                                     returnOf(function)->getOperandTypes()));
}

SmallVector<BlockArgument> ProgramEdit::apply() {
  changeRoles();
  addMetrics();
  SmallVector<BlockArgument> arguments;
  if (!added.empty()) {
    addResults(program.initialize, &Added::initial);
    addResults(program.step, &Added::next);
    arguments = addArguments(); // what is returned may be what was taken
  }
  updateType(program.initialize);
  updateType(program.step);
  roles.clear();
  initials.clear();
  added.clear();
  metrics.clear();
  return arguments;
}
