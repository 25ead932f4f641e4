// Answers that follow from forms, and forms as attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/ranks/ByForm.h"

#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tutti;

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

SmallVector<Value> byform::getPayload(Operation *op) {
  auto bucket = dyn_cast<BucketOpInterface>(op);
  return bucket ? SmallVector<Value>(bucket.getInputs()) : SmallVector<Value>();
}

FlatSymbolRefAttr byform::getGroup(Operation *op) {
  std::optional<CommunicationForm> form = getForm(op);
  return form ? form->group : FlatSymbolRefAttr();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static GroupForm formOf(Operation *group) { return cast<GroupOpInterface>(group).getGroupForm(); }

static std::optional<int64_t> worldOf(Operation *group, const GroupForm &form) {
  return form.kind == GroupForm::World && form.size ? form.size : findWorldSizeAt(group);
}

static bool isDividedByNode(const GroupForm &form) {
  return form.kind == GroupForm::PerNode || form.kind == GroupForm::AcrossNodes;
}

Attribute byform::getDivision(Operation *group) {
  GroupForm form = formOf(group);
  switch (form.kind) {
  case GroupForm::World:
    return {};
  case GroupForm::Blocks:
  case GroupForm::Strided:
  case GroupForm::PerNode:
  case GroupForm::AcrossNodes:
    return DenseI64ArrayAttr::get(group->getContext(), {form.kind, form.length});
  default: // the form does not tell two of these apart
    return SymbolTable::getSymbolName(group);
  }
}

bool byform::isOfWholeWorld(Operation *group) {
  GroupForm form = formOf(group);
  if (form.kind == GroupForm::World)
    return true;
  auto asked = cast<GroupOpInterface>(group);
  std::optional<int64_t> world = worldOf(group, form);
  return world && asked.holdsEveryRank() && asked.getSizeOfSets() == world;
}

bool byform::holdsEveryRank(Operation *group) {
  GroupForm form = formOf(group);
  return form.kind == GroupForm::World || form.kind == GroupForm::Blocks ||
         form.kind == GroupForm::Strided || isDividedByNode(form);
}

bool byform::isOfEqualSets(Operation *group) {
  return cast<GroupOpInterface>(group).getSizeOfSets() || formOf(group).kind == GroupForm::World ||
         formOf(group).kind == GroupForm::Strided;
}

std::optional<int64_t> byform::getSizeOfSets(Operation *group) {
  GroupForm form = formOf(group);
  std::optional<int64_t> world = worldOf(group, form);
  if (form.size)
    return form.size;
  if (form.kind == GroupForm::World || (isDividedByNode(form) && world == 1))
    return world;
  if (form.kind == GroupForm::Blocks)
    return form.length;
  if (form.kind == GroupForm::Strided && world)
    return *world / form.length;
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> byform::getMembersWith(Operation *group, int64_t rank,
                                                           int64_t worldSize) {
  GroupForm form = formOf(group);
  if (form.kind == GroupForm::World || (isDividedByNode(form) && worldSize == 1))
    return llvm::to_vector(llvm::seq<int64_t>(0, worldSize));
  if (form.kind == GroupForm::Blocks) {
    int64_t first = rank - rank % form.length;
    return llvm::to_vector(llvm::seq<int64_t>(first, first + form.length));
  }
  if (form.kind != GroupForm::Strided)
    return std::nullopt;
  SmallVector<int64_t> set;
  for (int64_t member = rank % form.length; member < worldSize; member += form.length)
    set.push_back(member);
  return set;
}

//===----------------------------------------------------------------------===//
// Forms as attributes
//===----------------------------------------------------------------------===//

/// The number under `key`, 0 without it; nothing if something else is there.
static std::optional<int64_t> readNumber(DictionaryAttr dictionary, StringRef key) {
  Attribute found = dictionary.get(key);
  if (!found)
    return 0;
  auto number = dyn_cast<IntegerAttr>(found);
  return number && number.getType().isSignlessInteger(64) ? std::optional(number.getInt())
                                                          : std::nullopt;
}

std::optional<CommunicationForm> tutti::readForm(Attribute attribute) {
  auto dictionary = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!dictionary || llvm::any_of(dictionary, [](NamedAttribute entry) {
        return !llvm::is_contained({"kind", "group", "reduction", "axis", "root"},
                                   entry.getName().getValue());
      }))
    return std::nullopt;
  auto kindName = dictionary.getAs<StringAttr>("kind");
  auto kind = kindName ? parseKind(kindName) : std::nullopt;
  auto group = dictionary.getAs<FlatSymbolRefAttr>("group");
  auto reductionName = dictionary.getAs<StringAttr>("reduction");
  auto reduction = reductionName ? parseReduction(reductionName) : std::nullopt;
  auto axis = readNumber(dictionary, "axis"), root = readNumber(dictionary, "root");
  if (!kind || !group || !axis || !root || isReduction(*kind) != reduction.has_value() ||
      dictionary.contains("reduction") != reduction.has_value())
    return std::nullopt;
  return CommunicationForm{*kind, group, reduction, *axis, *root};
}

DictionaryAttr tutti::writeForm(MLIRContext *context, const CommunicationForm &form) {
  Builder builder(context);
  NamedAttrList entries;
  entries.append("kind", builder.getStringAttr(spellKind(form.kind)));
  entries.append("group", form.group);
  if (form.reduction)
    entries.append("reduction", builder.getStringAttr(spellReduction(*form.reduction)));
  if (form.axis != 0)
    entries.append("axis", builder.getI64IntegerAttr(form.axis));
  if (form.root != 0)
    entries.append("root", builder.getI64IntegerAttr(form.root));
  return entries.getDictionary(context);
}
