// What roles are written with and taken away by.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/stablehlo/Roles.h"

#include "dialects/interfaces/Determinism.h"
#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"
#include "passes/stablehlo/StateArguments.h"

#include <set>

using namespace mlir;
using namespace tutti;

void stablehlo::declareDeterministic(ModuleOp module) {
  std::set<StringRef> names;
  module.walk([&](Operation *op) {
    StringRef kind = getKind(op);
    if (!isPure(kind) && !llvm::is_contained({"if", "case", "while"}, kind))
      return;
    StringRef name = op->getName().getStringRef();
    if (name == "stablehlo.custom_call") // its name does not say what it calls
      op->setDiscardableAttr(kDeterministic, UnitAttr::get(op->getContext()));
    else
      names.insert(name);
  });
  SmallVector<StringRef> list(names.begin(), names.end());
  module->setAttr(kDeterministic, OpBuilder(module.getContext()).getStrArrayAttr(list));
}

void stablehlo::withdrawDeterministic(ModuleOp module) {
  module.walk([](Operation *op) { op->removeDiscardableAttr(kDeterministic); });
}

void stablehlo::permuteResults(func::FuncOp function, ArrayRef<unsigned> order) {
  Operation *end = function.getBody().front().getTerminator();
  SmallVector<Value> values;
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<unsigned> places(order.size());
  for (auto [index, from] : llvm::enumerate(order)) {
    values.push_back(end->getOperand(from));
    types.push_back(function.getResultTypes()[from]);
    attributes.push_back(function.getResultAttrDict(from));
    places[from] = index;
  }
  end->setOperands(values);
  function.setFunctionType(
      FunctionType::get(function.getContext(), function.getArgumentTypes(), types));
  function.setAllResultAttrs(attributes);
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (auto alias = function.getArgAttrOfType<IntegerAttr>(index, kAlias))
      function.setArgAttr(index, kAlias, IntegerAttr::get(alias.getType(), places[alias.getInt()]));
}
