// Finding the parts of a training program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/program/Program.h"

#include "mlir/IR/Builders.h"

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

FlatSymbolRefAttr tutti::program::getOrCreateWorld(ModuleOp module) {
  for (auto group : module.getOps<collective::GroupOp>())
    if (!group.getMembers())
      return FlatSymbolRefAttr::get(group.getSymNameAttr());
  OpBuilder builder(module.getContext());
  auto group =
      collective::GroupOp::create(builder, module.getLoc(), "world", /*size=*/IntegerAttr());
  SymbolTable(module).insert(group, module.getBody()->begin()); // renames on a clash
  return FlatSymbolRefAttr::get(group.getSymNameAttr());
}
