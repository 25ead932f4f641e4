// Giving roles to many arguments and results at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/RoleEdits.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using train::TrainDialect;

RoleEdits::RoleEdits(func::FuncOp function) : function(function) {
  function.getAllArgAttrs(arguments);
  function.getAllResultAttrs(results);
}

void RoleEdits::apply() {
  function.setAllArgAttrs(arguments);
  function.setAllResultAttrs(results);
}

train::VariableAttr RoleEdits::getRole(DictionaryAttr attributes) {
  return attributes ? attributes.getAs<train::VariableAttr>(TrainDialect::kVariable) : nullptr;
}

void RoleEdits::setRole(DictionaryAttr &attributes, train::VariableAttr role) {
  NamedAttrList edited(attributes);
  edited.set(TrainDialect::kVariable, role);
  attributes = edited.getDictionary(role.getContext());
}
