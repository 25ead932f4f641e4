// The frame is a module whose functions have no bodies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/training/ProgramRoles.h"

#include "lib/frontend/graph/OperationCalls.h"
#include "lib/frontend/model/OperationNodes.h"

#include "dialects/collective/Collective.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;
using train::TrainDialect;

static StringRef findFrame(const ModelFile &file) {
  for (const auto &entry : file.model().metadata_props())
    if (entry.key() == programFrame)
      return entry.value();
  return "";
}

FailureOr<ProgramRoles> ProgramRoles::read(const ModelFile &file) {
  ProgramRoles roles;
  StringRef text = findFrame(file);
  if (text.empty())
    return roles;
  MLIRContext *context = file.location().getContext();
  if (!isTooMuchText(text)) {
    ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
    ParserConfig config(context, /*verifyAfterParse=*/false);
    roles.frame = parseSourceString<ModuleOp>(text, config);
  }
  if (failed(roles.survey(file)))
    return failure();
  return roles;
}

LogicalResult ProgramRoles::survey(const ModelFile &file) {
  auto fail = [&] {
    return emitError(file.location())
           << "metadata_props: '" << programFrame
           << "' is no frame of a program (datasets, groups, functions without bodies); without "
              "it the model is imported as any other";
  };
  if (!frame)
    return fail();
  for (Operation &op : *frame->getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!isa<func::FuncOp, train::DatasetOp, collective::GroupOp>(op) ||
        (function && !function.isExternal()))
      return fail();
    if (!function)
      continue;
    for (unsigned index = 0; index < function.getNumArguments(); ++index)
      if (auto rate = function.getArgAttrOfType<train::HyperparameterAttr>(
              index, TrainDialect::kHyperparameter))
        hyperparameters.insert(rate.getName());
  }
  return success();
}

void ProgramRoles::fill(ModuleOp module) {
  module->setAttrs(frame->getOperation()->getAttrDictionary());
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  for (Operation &op : *frame->getBody())
    if (!isa<func::FuncOp>(op))
      builder.clone(op);
}

/// The roles of one kind in one function, by name.
template <typename Role>
static llvm::StringMap<Role> rolesOf(ArrayAttr attributes, StringRef kind) {
  llvm::StringMap<Role> roles;
  for (Attribute entry : attributes ? attributes.getValue() : ArrayRef<Attribute>())
    if (auto role = cast<DictionaryAttr>(entry).getAs<Role>(kind))
      roles[role.getName()] = role;
  return roles;
}

void ProgramRoles::apply(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    auto known = frame->lookupSymbol<func::FuncOp>(function.getName());
    if (!known)
      continue;
    auto variables = rolesOf<train::VariableAttr>(known.getArgAttrsAttr(), TrainDialect::kVariable);
    auto inputs = rolesOf<train::InputAttr>(known.getArgAttrsAttr(), TrainDialect::kInput);
    for (unsigned index = 0; index < function.getNumArguments(); ++index) {
      auto variable =
          function.getArgAttrOfType<train::VariableAttr>(index, TrainDialect::kVariable);
      auto input = function.getArgAttrOfType<train::InputAttr>(index, TrainDialect::kInput);
      if (variable && variables.contains(variable.getName()))
        function.setArgAttr(index, TrainDialect::kVariable, variables[variable.getName()]);
      if (input && inputs.contains(input.getName()))
        function.setArgAttr(index, TrainDialect::kInput, inputs[input.getName()]);
    }
    auto results = rolesOf<train::VariableAttr>(known.getResAttrsAttr(), TrainDialect::kVariable);
    for (unsigned index = 0; index < function.getNumResults(); ++index)
      if (auto role =
              function.getResultAttrOfType<train::VariableAttr>(index, TrainDialect::kVariable);
          role && results.contains(role.getName()))
        function.setResultAttr(index, TrainDialect::kVariable, results[role.getName()]);
  }
}
