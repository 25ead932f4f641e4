// Formulas as functions of a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/ModelFunctions.h"

#include "lib/frontend/export/bodies/FormulaText.h"
#include "lib/frontend/functions/Formula.h"
#include "lib/frontend/model/OperationNodes.h"

#include <set>

using namespace mlir;
using namespace tutti::frontend;

template <typename Message>
static void addImport(Message &message, const std::string &domain, int64_t version) {
  for (const auto &entry : message.opset_import())
    if (entry.domain() == domain)
      return;
  auto *entry = message.add_opset_import();
  entry->set_domain(domain);
  entry->set_version(version);
}

/// A body is written in the operator set of its model.
void ModelFunctions::importDomains(proto::FunctionProto &function) {
  std::set<std::string> domains;
  for (const proto::NodeProto &node : function.node())
    domains.insert(node.domain());
  function.clear_opset_import();
  for (const std::string &domain : domains)
    addImport(function, domain, domain.empty() ? opset : 1);
}

FailureOr<std::string> ModelFunctions::add(Operation *op) {
  FailureOr<std::string> text = writeFormula(op);
  if (failed(text))
    return failure();
  auto [known, isNew] = nameOfText.try_emplace(*text);
  if (!isNew)
    return known->second;
  llvm::Expected<Formula> formula = readFormula(*text);
  if (!formula)
    return refuseExport(op, llvm::toString(formula.takeError()));
  StringRef operation = op->getName().stripDialect();
  int number = numbers[op->getName().getStringRef()]++;
  known->second = (operation + (number ? "_" + Twine(number) : Twine())).str();
  proto::FunctionProto &function = *model.add_functions();
  function = std::move(formula->body);
  function.set_name(known->second);
  *function.add_attribute() = propertiesOfOperation.str();
  *function.add_attribute() = typesOfOperation.str();
  importDomains(function);
  addImport(model, function.domain(), 1);
  return known->second;
}
