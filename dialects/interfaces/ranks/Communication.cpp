// Questions about communication that need no dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

#include "dialects/interfaces/ranks/Communication.cpp.inc"

using namespace mlir;
using namespace tutti;

static constexpr StringLiteral kinds[] = {
    "all_reduce", "reduce",       "reduce_scatter", "broadcast",    "all_gather",
    "gather",     "scatter",      "all_to_all",     "all_to_all_v", "all_to_all_vc",
    "barrier",    "create_group", "destroy_group",  "send",         "recv"};
static constexpr StringLiteral reductions[] = {"sum", "mean", "min", "max", "prod"};

/// The member of an enumeration whose number is the place of `name` in its `names`.
template <typename Enum>
static std::optional<Enum> findNamed(StringRef name, ArrayRef<StringLiteral> names) {
  const auto *found = llvm::find(names, name);
  return found == names.end() ? std::nullopt
                              : std::optional(static_cast<Enum>(found - names.begin()));
}

StringRef tutti::spellKind(CommunicationKind kind) { return kinds[static_cast<unsigned>(kind)]; }

StringRef tutti::spellReduction(Reduction reduction) {
  return reductions[static_cast<unsigned>(reduction)];
}

std::optional<CommunicationKind> tutti::parseKind(StringRef name) {
  return findNamed<CommunicationKind>(name, kinds);
}

std::optional<Reduction> tutti::parseReduction(StringRef name) {
  return findNamed<Reduction>(name, reductions);
}

bool tutti::isReduction(CommunicationKind kind) {
  return kind == CommunicationKind::AllReduce || kind == CommunicationKind::Reduce ||
         kind == CommunicationKind::ReduceScatter;
}

bool tutti::hasRoot(CommunicationKind kind) {
  return kind == CommunicationKind::Reduce || kind == CommunicationKind::Broadcast ||
         kind == CommunicationKind::Gather || kind == CommunicationKind::Scatter;
}

bool tutti::movesData(CommunicationKind kind) { return kind < CommunicationKind::Barrier; }

std::optional<CommunicationForm> tutti::getForm(Operation *op) {
  auto communication = dyn_cast_or_null<CommunicationOpInterface>(op);
  return communication ? std::optional(communication.getForm()) : std::nullopt;
}

StringRef tutti::spellKind(Operation *op) {
  std::optional<CommunicationForm> form = getForm(op);
  return form ? spellKind(form->kind) : op->getName().stripDialect();
}

bool tutti::isKind(Operation *op, ArrayRef<CommunicationKind> kinds) {
  std::optional<CommunicationForm> form = getForm(op);
  return form && llvm::is_contained(kinds, form->kind);
}

bool tutti::movesData(Operation *op) {
  std::optional<CommunicationForm> form = getForm(op);
  return form && movesData(form->kind);
}

bool tutti::isStartedApart(Operation *op) {
  return isa_and_nonnull<CommunicationStartOpInterface>(op->getParentOp());
}

CommunicationStartOpInterface tutti::findStart(CommunicationDoneOpInterface done) {
  Value future = done.getAwaitedFuture();
  return future ? future.getDefiningOp<CommunicationStartOpInterface>()
                : CommunicationStartOpInterface();
}

Value tutti::findPromised(CommunicationDoneOpInterface done, unsigned index) {
  CommunicationStartOpInterface start = findStart(done);
  return start ? start.getPromised(index) : Value();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

GroupOpInterface tutti::findGroup(Operation *user, FlatSymbolRefAttr group) {
  return group
             ? dyn_cast_or_null<GroupOpInterface>(SymbolTable::lookupNearestSymbolFrom(user, group))
             : GroupOpInterface();
}

std::optional<int64_t> tutti::findWorldSize(Operation *table) {
  if (!table || table->getNumRegions() != 1 || table->getRegion(0).empty())
    return std::nullopt;
  for (auto group : table->getRegion(0).getOps<GroupOpInterface>())
    if (GroupForm form = group.getGroupForm(); form.kind == GroupForm::World && form.size)
      return form.size;
  return std::nullopt;
}

std::optional<int64_t> tutti::findWorldSizeAt(Operation *op) {
  return findWorldSize(SymbolTable::getNearestSymbolTable(op));
}

GroupOpInterface tutti::findWorldGroup(Operation *table, Operation *like) {
  if (!table || table->getNumRegions() != 1 || table->getRegion(0).empty())
    return {};
  for (auto group : table->getRegion(0).getOps<GroupOpInterface>())
    if (group.getGroupForm().kind == GroupForm::World &&
        (!like || group->getDialect() == like->getDialect()))
      return group;
  return {};
}

std::optional<SmallVector<int64_t>> tutti::getSetOf(GroupOpInterface group, int64_t rank) {
  std::optional<int64_t> world = findWorldSizeAt(group);
  return world ? group.getMembersWith(rank, *world) : std::nullopt;
}

SmallVector<FlatSymbolRefAttr, 2> tutti::getGroupsOf(Operation *op) {
  SmallVector<FlatSymbolRefAttr, 2> groups;
  if (std::optional<CommunicationForm> form = getForm(op))
    groups.push_back(form->group);
  if (auto query = dyn_cast<RankQueryOpInterface>(op)) {
    RankQuestion question = query.getQuestion();
    groups.append({question.group, question.to});
  }
  llvm::erase_if(groups, [](FlatSymbolRefAttr group) { return !group; });
  return groups;
}

RankQueryOpInterface tutti::findQuestion(Value value, RankQuestion::Kind kind) {
  auto query = value.getDefiningOp<RankQueryOpInterface>();
  return query && query.getQuestion().kind == kind ? query : RankQueryOpInterface();
}

//===----------------------------------------------------------------------===//
// Factories
//===----------------------------------------------------------------------===//

Operation *CommunicationDialectInterface::createLike(OpBuilder &builder, Location loc,
                                                     Operation *op, ValueRange inputs,
                                                     TypeRange results) const {
  if (op->hasTrait<OpTrait::AttrSizedOperandSegments>() ||
      op->hasTrait<OpTrait::AttrSizedResultSegments>())
    return nullptr;
  OperationState state(loc, op->getName());
  state.addOperands(inputs);
  state.addTypes(results);
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return builder.create(state);
}

bool tutti::changesRow(Operation *op) {
  const CommunicationDialectInterface *factory = getFactory(op);
  return factory && factory->changesRow(op);
}

const CommunicationDialectInterface *tutti::getFactory(Operation *op) {
  Dialect *dialect = op ? op->getDialect() : nullptr;
  return dialect ? dialect->getRegisteredInterface<CommunicationDialectInterface>() : nullptr;
}

const CommunicationDialectInterface *tutti::getFactory(Operation *user, FlatSymbolRefAttr group) {
  GroupOpInterface found = findGroup(user, group);
  return found ? getFactory(found) : nullptr;
}
