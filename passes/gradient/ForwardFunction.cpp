// Arguments and results of a program's functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/ForwardFunction.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;
using train::TrainDialect;

unsigned ForwardFunction::countVariables() {
  unsigned count = 0;
  while (count < function.getNumArguments() && variable(count))
    ++count;
  return count;
}

bool ForwardFunction::hasInput(StringRef name) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (auto input = function.getArgAttrOfType<train::InputAttr>(index, TrainDialect::kInput))
      if (input.getName() == name)
        return true;
  return false;
}

FlatSymbolRefAttr ForwardFunction::dataset() {
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (auto input = function.getArgAttrOfType<train::InputAttr>(index, TrainDialect::kInput))
      return input.getDataset();
  return FlatSymbolRefAttr::get(function.getContext(), "data");
}

LogicalResult ForwardFunction::check(func::FuncOp initialize) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("recipe: @forward must have a body of one block");
  unsigned count = countVariables();
  for (unsigned index = count; index < function.getNumArguments(); ++index)
    if (!function.getArgAttr(index, TrainDialect::kInput))
      return function.emitError("recipe: argument ")
             << index << " of @forward must be an input; variables stand before all inputs";
  if (initialize.getNumResults() != count)
    return function.emitError("recipe: @forward takes ")
           << count << " variables, but @initialize returns " << initialize.getNumResults();
  for (unsigned index = 0; index < count; ++index)
    if (initialize.getResultAttr(index, TrainDialect::kVariable) != variable(index) ||
        initialize.getResultTypes()[index] != function.getArgumentTypes()[index])
      return function.emitError("recipe: variable ")
             << variable(index) << " of @forward is not what @initialize returns at its place";
  return success();
}

ForwardFunction ForwardFunction::cloneAs(StringRef name) {
  OpBuilder builder(function->getContext());
  builder.setInsertionPointAfter(function);
  auto copy = cast<func::FuncOp>(builder.clone(*function));
  copy.setName(name);
  return ForwardFunction(copy);
}

static DictionaryAttr roleOf(MLIRContext *context, StringRef role, Attribute value) {
  Builder builder(context);
  return builder.getDictionaryAttr(builder.getNamedAttr(role, value));
}

void ForwardFunction::insertArguments(unsigned index, ArrayRef<Argument> arguments) {
  SmallVector<unsigned> places(arguments.size(), index);
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> roles;
  SmallVector<Location> locations;
  for (const Argument &argument : arguments) {
    types.push_back(argument.type);
    roles.push_back(roleOf(function.getContext(), argument.role, argument.attribute));
    locations.push_back(argument.location);
  }
  (void)function.insertArguments(places, types, roles, locations);
}

BlockArgument ForwardFunction::addArgument(const Argument &argument) {
  unsigned index = function.getNumArguments();
  insertArguments(index, argument);
  return function.getArgument(index);
}

SmallVector<ForwardFunction::Result> ForwardFunction::results() {
  SmallVector<Result> all;
  for (auto [index, value] : llvm::enumerate(returned().getOperands())) {
    Result result{value, "", nullptr};
    for (StringRef role : {TrainDialect::kMetric, TrainDialect::kOutput, TrainDialect::kVariable})
      if (Attribute attribute = function.getResultAttr(index, role))
        result.role = role, result.attribute = attribute;
    all.push_back(result);
  }
  return all;
}

void ForwardFunction::setResults(ArrayRef<Result> results) {
  SmallVector<Value> values;
  SmallVector<Attribute> attributes;
  for (const Result &result : results) {
    values.push_back(result.value);
    attributes.push_back(result.role.empty()
                             ? DictionaryAttr::get(function.getContext())
                             : roleOf(function.getContext(), result.role, result.attribute));
  }
  returned()->setOperands(values);
  Builder builder(function.getContext());
  function.setType(
      builder.getFunctionType(function.getArgumentTypes(), ValueRange(values).getTypes()));
  function.setResAttrsAttr(builder.getArrayAttr(attributes));
}
