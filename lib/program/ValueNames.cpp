// Names of values for messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/ValueNames.h"

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/Train.h"
#include "lib/program/GradientChain.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Path.h"

#include <deque>

using namespace mlir;
using namespace tutti::collective;
using tutti::train::TrainDialect;

std::string tutti::program::nodeAt(Location location) {
  if (auto named = location->findInstanceOf<NameLoc>())
    return named.getName().str();
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "";
  return (llvm::sys::path::filename(place.getFilename().getValue()) + ":" + Twine(place.getLine()) +
          ":" + Twine(place.getColumn()))
      .str();
}

/// Beside a location, in a dictionary: the part of its node.
constexpr StringRef kPart = "tutti.part";

Location tutti::program::withPart(Location location, StringRef part) {
  if (!partAt(location).empty())
    return location;
  Builder builder(location.getContext());
  NamedAttribute named = builder.getNamedAttr(kPart, builder.getStringAttr(part));
  return FusedLoc::get(location.getContext(), {location}, builder.getDictionaryAttr(named));
}

StringRef tutti::program::partAt(Location location) {
  auto fused = location->findInstanceOf<FusedLocWith<DictionaryAttr>>();
  auto part = fused ? fused.getMetadata().getAs<StringAttr>(kPart) : StringAttr();
  return part ? part.getValue() : "";
}

Location tutti::program::withoutPart(Location location) {
  auto fused = dyn_cast<FusedLocWith<DictionaryAttr>>(location);
  return fused && fused.getMetadata().contains(kPart) ? fused.getLocations().front() : location;
}

/// The name under which a returned value is known: variable, metric or output.
static std::string nameOfResult(FunctionOpInterface function, unsigned index) {
  if (auto variable =
          function.getResultAttrOfType<tutti::train::VariableAttr>(index, TrainDialect::kVariable))
    return variable.getName().str();
  for (StringRef role : {TrainDialect::kMetric, TrainDialect::kOutput})
    if (auto name = function.getResultAttrOfType<StringAttr>(index, role))
      return name.str();
  return "";
}

/// What `use` says about the name of the value it uses.
static std::string nameFromUse(OpOperand &use) {
  Operation *user = use.getOwner();
  auto optimizer = dyn_cast<tutti::OptimizerOpInterface>(user);
  if (optimizer && &optimizer.getGradientMutable() == &use) {
    tutti::train::VariableAttr variable = tutti::program::findUpdatedVariable(optimizer);
    return variable ? variable.getName().str() : "";
  }
  auto function = dyn_cast_or_null<FunctionOpInterface>(user->getParentOp());
  if (function && user->hasTrait<OpTrait::IsTerminator>())
    return nameOfResult(function, use.getOperandNumber());
  return "";
}

/// The values that `use` becomes: its own result of a bucket, the only result of another user, or
/// the awaited value of a yield. A user with several results makes new values.
static SmallVector<Value> successorsOf(OpOperand &use) {
  Operation *user = use.getOwner();
  SmallVector<Value> values;
  if (auto bucket = dyn_cast<BucketOpInterface>(user); bucket && user->getNumResults() > 1)
    values.push_back(user->getResult(use.getOperandNumber()));
  else if (user->getNumResults() == 1)
    values.push_back(user->getResult(0));
  if (user->hasTrait<OpTrait::IsTerminator>() && tutti::isStartedApart(user))
    for (Operation *awaiting : user->getParentOp()->getUsers())
      values.push_back(awaiting->getResult(use.getOperandNumber()));
  return values;
}

std::string tutti::program::nameOfValue(Value value, Location fallback) {
  constexpr unsigned kReach = 64; // far enough for scale, clip and cast; bounds the time
  std::deque<Value> open{value};
  llvm::DenseSet<Value> seen{value};
  for (unsigned visited = 0; !open.empty() && visited < kReach; ++visited) {
    Value current = open.front();
    open.pop_front();
    for (OpOperand &use : current.getUses()) {
      std::string name = nameFromUse(use);
      if (!name.empty())
        return name;
      for (Value successor : successorsOf(use))
        if (seen.insert(successor).second)
          open.push_back(successor);
    }
  }
  return nodeAt(fallback);
}

std::string tutti::program::quoted(Operation *op) {
  return ("'" + op->getName().getStringRef() + "'").str();
}

std::string tutti::program::describeNode(Operation *op) {
  std::string node = nodeAt(op->getLoc());
  return node.empty() ? quoted(op)
                      : ("node '" + node + "' (" + op->getName().getStringRef() + ")").str();
}
