// Functions with roles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/FunctionBuilder.h"

#include "dialects/onnx/Onnx.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;
using train::TrainDialect;

FunctionBuilder::FunctionBuilder(StringRef name, ModuleOp module, OpBuilder &builder)
    : builder(builder) {
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, module.getLoc(), name, builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
}

Value FunctionBuilder::addArgument(Type type, StringRef role, Attribute value, Location location) {
  argumentRoles.push_back(builder.getDictionaryAttr(builder.getNamedAttr(role, value)));
  return function.getBody().front().addArgument(type, location);
}

void FunctionBuilder::addResult(Value result, StringRef role, Attribute value) {
  resultRoles.push_back(builder.getDictionaryAttr(builder.getNamedAttr(role, value)));
  results.push_back(result);
}

Attribute FunctionBuilder::variableRole(const Variable &variable) {
  return train::VariableAttr::get(builder.getContext(), variable.name(), variable.kind);
}

Value FunctionBuilder::addVariable(const Variable &variable, Location location) {
  return addArgument(variable.type, TrainDialect::kVariable, variableRole(variable), location);
}

Value FunctionBuilder::addInput(StringRef name, Type type, Location location) {
  auto dataset = FlatSymbolRefAttr::get(builder.getContext(), "data");
  return addArgument(type, TrainDialect::kInput,
                     train::InputAttr::get(builder.getContext(), name, dataset), location);
}

Value FunctionBuilder::addHyperparameter(StringRef name, FloatAttr value, Location location) {
  auto asF64 = builder.getF64FloatAttr(value.getValueAsDouble());
  return addArgument(RankedTensorType::get({}, value.getType()), TrainDialect::kHyperparameter,
                     train::HyperparameterAttr::get(builder.getContext(), name, asF64), location);
}

void FunctionBuilder::returnVariable(const Variable &variable, Value value) {
  addResult(value, TrainDialect::kVariable, variableRole(variable));
}

void FunctionBuilder::returnOutput(StringRef name, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool isMetric = type && type.getRank() == 0 && isa<FloatType>(type.getElementType());
  addResult(value, isMetric ? TrainDialect::kMetric : TrainDialect::kOutput,
            builder.getStringAttr(name));
}

/// Constants whose content went into attributes (shapes, axes) are not needed any more.
static void eraseUnusedConstants(func::FuncOp function) {
  for (auto constant : llvm::make_early_inc_range(function.getOps<tutti::onnx::ConstantOp>()))
    if (constant->use_empty())
      constant.erase();
}

void FunctionBuilder::finish() {
  func::ReturnOp::create(builder, function.getLoc(), results);
  eraseUnusedConstants(function);
  function.setType(builder.getFunctionType(function.getBody().front().getArgumentTypes(),
                                           ValueRange(results).getTypes()));
  function.setArgAttrsAttr(builder.getArrayAttr(argumentRoles));
  function.setResAttrsAttr(builder.getArrayAttr(resultRoles));
}
