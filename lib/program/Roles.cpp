// Writes roles, and takes them away.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/Roles.h"

#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/Train.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using tutti::train::TrainDialect;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static FailureOr<func::FuncOp> findForRoles(ModuleOp module, StringRef name) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  return mlir::emitError(module.getLoc()) << "has no func.func @" << name << " to give roles to";
}

/// Whether `function` has `found` of `what` for the roles, which are `expected`.
static LogicalResult verifyCount(func::FuncOp function, StringRef what, size_t found,
                                 size_t expected, StringRef roles) {
  if (found == expected)
    return success();
  return mlir::emitError(function.getLoc())
         << "@" << function.getName() << " has " << found << " " << what << ", but there are "
         << expected << " " << roles;
}

static LogicalResult verifyCounts(func::FuncOp initialize, func::FuncOp step,
                                  const StepRoles &roles) {
  size_t kept = roles.variables.size() + roles.states.size();
  return failure(
      failed(verifyCount(initialize, "arguments", initialize.getNumArguments(), 0, "roles")) ||
      failed(verifyCount(initialize, "results", initialize.getNumResults(), kept,
                         "variables and states")) ||
      failed(verifyCount(step, "arguments", step.getNumArguments(),
                         kept + roles.inputs.size() + roles.hyperparameters.size(),
                         "variables, states, inputs and hyperparameters")) ||
      failed(verifyCount(step, "results", step.getNumResults(), kept + roles.metrics.size(),
                         "variables, states and metrics")));
}

static train::DatasetOp declareDataset(ModuleOp module, int64_t batch) {
  Builder attributes(module.getContext());
  OpBuilder builder(module.getContext());
  auto dataset = train::DatasetOp::create(
      builder, module.getLoc(), attributes.getStringAttr("data"),
      batch > 0 ? attributes.getI64IntegerAttr(batch) : IntegerAttr(), train::ShardAttr());
  SymbolTable(module).insert(dataset, module.getBody()->begin()); // renames on a clash
  return dataset;
}

LogicalResult tutti::program::annotateStep(ModuleOp module, const StepRoles &roles) {
  MLIRContext *context = module.getContext();
  context->loadDialect<TrainDialect>();
  if (module->hasAttr(TrainDialect::kProgram))
    return mlir::emitError(module.getLoc()) << "has roles already: it is a training program";
  FailureOr<func::FuncOp> initialize = findForRoles(module, "initialize"),
                          step = findForRoles(module, "step");
  if (failed(initialize) || failed(step) || failed(verifyCounts(*initialize, *step, roles)))
    return failure();
  auto dataset = FlatSymbolRefAttr::get(declareDataset(module, roles.globalBatch));
  module->setAttr(TrainDialect::kProgram, UnitAttr::get(context));
  unsigned place = 0;
  auto addVariable = [&](StringRef name, train::VariableClass variableClass) {
    auto role = train::VariableAttr::get(context, name, variableClass);
    initialize->setResultAttr(place, TrainDialect::kVariable, role);
    step->setArgAttr(place, TrainDialect::kVariable, role);
    step->setResultAttr(place++, TrainDialect::kVariable, role);
  };
  for (StringRef name : roles.variables)
    addVariable(name, train::VariableClass::Trainable);
  for (StringRef name : roles.states)
    addVariable(name, train::VariableClass::State);
  for (auto [index, name] : llvm::enumerate(roles.metrics))
    step->setResultAttr(place + index, TrainDialect::kMetric, StringAttr::get(context, name));
  for (StringRef name : roles.inputs)
    step->setArgAttr(place++, TrainDialect::kInput, train::InputAttr::get(context, name, dataset));
  for (auto [name, value] : roles.hyperparameters)
    step->setArgAttr(
        place++, TrainDialect::kHyperparameter,
        train::HyperparameterAttr::get(context, name, Builder(context).getF64FloatAttr(value)));
  return success();
}

//===----------------------------------------------------------------------===//
// Taking away
//===----------------------------------------------------------------------===//

static bool isRole(NamedAttribute attribute) {
  return isa_and_nonnull<TrainDialect>(attribute.getNameDialect());
}

static DictionaryAttr withoutRoles(DictionaryAttr attributes, MLIRContext *context) {
  NamedAttrList kept;
  for (NamedAttribute attribute : attributes ? attributes.getValue() : ArrayRef<NamedAttribute>())
    if (!isRole(attribute))
      kept.push_back(attribute);
  return kept.getDictionary(context);
}

void tutti::program::eraseRoles(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    function.setArgAttrs(index, withoutRoles(function.getArgAttrDict(index), context));
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    function.setResultAttrs(index, withoutRoles(function.getResultAttrDict(index), context));
}

void tutti::program::eraseRoles(ModuleOp module) {
  for (NamedAttribute attribute : module->getAttrs())
    if (isRole(attribute))
      module->removeAttr(attribute.getName());
  for (auto function : module.getOps<func::FuncOp>())
    eraseRoles(function);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<train::DatasetOp>(op) ||
        (isa<GroupOpInterface>(op) && SymbolTable::symbolKnownUseEmpty(&op, module)))
      op.erase();
}
