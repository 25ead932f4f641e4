// Finding the parts of a training program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/program/Program.h"

#include "lib/program/Exchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using tutti::train::TrainDialect;

static FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function) {
    InFlightDiagnostic error = mlir::emitError(module.getLoc())
                               << "the training program has no function @" << name;
    if (module.lookupSymbol("forward"))
      error << "; it is a forward graph: give it a loss and an optimizer first (--train)";
    return failure();
  }
  if (!function.getBody().hasOneBlock())
    return mlir::emitError(function.getLoc())
           << "@" << name << " must have a body of one block to be distributed";
  return function;
}

FailureOr<Program> Program::find(ModuleOp module) {
  if (!module->hasAttr(TrainDialect::kProgram))
    return mlir::emitError(module.getLoc())
           << "is not a training program: it lacks the attribute " << TrainDialect::kProgram;
  if (failed(verifyFactory(module)))
    return failure();
  FailureOr<func::FuncOp> initialize = findFunction(module, "initialize");
  if (failed(initialize))
    return failure();
  FailureOr<func::FuncOp> step = findFunction(module, "step");
  if (failed(step))
    return failure();
  return Program{module, *initialize, *step};
}

train::VariableAttr tutti::program::getVariable(func::FuncOp function, unsigned index) {
  return function.getResultAttrOfType<train::VariableAttr>(index, TrainDialect::kVariable);
}

SmallVector<VariableResult> tutti::program::getVariableResults(func::FuncOp function) {
  SmallVector<VariableResult> results;
  for (OpOperand &value : function.getBody().front().getTerminator()->getOpOperands())
    if (train::VariableAttr role = getVariable(function, value.getOperandNumber()))
      results.push_back({&value, role});
  return results;
}

train::VariableAttr tutti::program::findHeldVariable(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = dyn_cast_or_null<FunctionOpInterface>(
      argument ? argument.getOwner()->getParentOp() : nullptr);
  return function ? function.getArgAttrOfType<train::VariableAttr>(argument.getArgNumber(),
                                                                   TrainDialect::kVariable)
                  : train::VariableAttr();
}

VariablePlaces::VariablePlaces(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (train::VariableAttr role = findHeldVariable(argument))
      arguments[role] = argument;
  for (VariableResult result : getVariableResults(function))
    results[result.role] = result.value->getOperandNumber();
}

std::optional<unsigned> VariablePlaces::getResult(train::VariableAttr role) const {
  auto found = results.find(role);
  return found == results.end() ? std::nullopt : std::optional(found->second);
}

Value tutti::program::createGroupSize(OpBuilder &builder, Location loc, FlatSymbolRefAttr group,
                                      Type type) {
  Operation *user = builder.getInsertionBlock()->getParentOp();
  Value size = getFactoryOf(user, group).createSize(builder, loc, group);
  Value integer = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), size);
  return arith::SIToFPOp::create(builder, loc, type, integer);
}

FlatSymbolRefAttr tutti::program::getOrCreateWorld(ModuleOp module) {
  if (GroupOpInterface world = findWorldGroup(module))
    return FlatSymbolRefAttr::get(world);
  auto *dialect = module.getContext()->getOrLoadDialect<collective::CollectiveDialect>();
  const auto *factory = dialect->getRegisteredInterface<CommunicationDialectInterface>();
  OpBuilder builder(module.getContext());
  Operation *group = factory->createGroup(builder, module.getLoc(), "world", {GroupForm::World});
  SymbolTable(module).insert(group, module.getBody()->begin()); // renames on a clash
  return FlatSymbolRefAttr::get(group);
}
