// Asks the dialect of a group for its operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/Exchange.h"

#include <cassert>

using namespace mlir;
using namespace tutti;

/// Where it is said what a dialect declares to be distributed in.
static constexpr StringLiteral kDocs = "see docs/embedding.md";

/// "..., but the CommunicationDialectInterface of dialect 'acme' ", at the group.
static InFlightDiagnostic failAtFactory(GroupOpInterface world) {
  return mlir::emitError(world.getLoc()) << "the group of all ranks is a '" << world->getName()
                                         << "', but the CommunicationDialectInterface of dialect '"
                                         << world->getDialect()->getNamespace() << "' ";
}

/// The name of the first interface by which passes would know `made` as a bucket of `form`, and
/// which it lacks or answers otherwise; empty if there is none.
static StringRef findMissing(Operation *made, const CommunicationForm &form) {
  auto bucket = dyn_cast<BucketOpInterface>(made);
  std::optional<CommunicationForm> known = getForm(made);
  if (!known || known->kind != form.kind || known->group != form.group ||
      known->reduction != form.reduction)
    return "CommunicationOpInterface";
  if (!isa<CollectiveOpInterface>(made) ||
      cast<CollectiveOpInterface>(made).getGroupAttr() != form.group)
    return "CollectiveOpInterface";
  if (!bucket || bucket.getInputs().size() != 1 || bucket.getOutputs().size() != 1)
    return "BucketOpInterface";
  return "";
}

/// Makes one of `kind`, and looks at it.
static LogicalResult tryKind(GroupOpInterface world, const CommunicationDialectInterface &factory,
                             CommunicationKind kind) {
  if (!factory.makes(kind))
    return failAtFactory(world) << "makes no " << spellKind(kind) << "; let makes() and create() "
                                << "have it, " << kDocs;
  Block scratch;
  OpBuilder builder(world.getContext());
  builder.setInsertionPointToEnd(&scratch);
  auto type = RankedTensorType::get({1}, builder.getF32Type());
  Value input = scratch.addArgument(type, world.getLoc());
  CommunicationForm form = {kind, FlatSymbolRefAttr::get(world)};
  if (isReduction(kind))
    form.reduction = Reduction::Sum;
  Operation *made = factory.create(builder, world.getLoc(), form, input, Type(type));
  if (!made)
    return failAtFactory(world) << "says that it makes an operation of the kind " << spellKind(kind)
                                << ", and makes none; " << kDocs;
  StringRef missing = findMissing(made, form);
  if (missing.empty())
    return success();
  return failAtFactory(world) << "makes a '" << made->getName() << "' of the kind "
                              << spellKind(kind) << " that has no " << missing
                              << ", or one that does not say so: passes would not see what it "
                              << "communicates; " << kDocs;
}

/// A dialect that makes collectives has groups, too; without their interface another dialect would
/// be written.
static LogicalResult verifyGroups(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (isa<SymbolOpInterface>(op) && op.getNumRegions() == 0 && getFactory(&op) &&
        !isa<GroupOpInterface>(op))
      return mlir::emitError(op.getLoc())
             << "'" << op.getName() << "' is a symbol of a dialect of collectives, but has no "
             << "GroupOpInterface: nobody knows who takes part; " << kDocs;
  return success();
}

LogicalResult tutti::program::verifyFactory(ModuleOp module, const ExchangeNeeds &needs) {
  GroupOpInterface world = findWorldGroup(module);
  if (!world)
    return verifyGroups(module);
  const CommunicationDialectInterface *factory = getFactory(world);
  if (!factory)
    return mlir::emitError(world->getLoc())
           << "the group of all ranks is a '" << world->getName() << "', whose dialect has no "
           << "CommunicationDialectInterface: nobody makes collectives of it; " << kDocs;
  for (CommunicationKind kind : needs.kinds)
    if (failed(tryKind(world, *factory, kind)))
      return failure();
  for (RankQuestion::Kind question : needs.questions)
    if (!factory->asks(question))
      return failAtFactory(world) << "cannot ask for the "
                                  << (question == RankQuestion::Rank ? "number of a rank"
                                                                     : "number of ranks")
                                  << "; let asks() and "
                                  << (question == RankQuestion::Rank ? "createRank()"
                                                                     : "createSize()")
                                  << " have it, " << kDocs;
  if (needs.rows && !factory->makesRows())
    return failAtFactory(world) << "makes no rows, which ranks take parts of; let makesRows(), "
                                << "createRow() and createFromRow() have them, " << kDocs;
  return success();
}

const CommunicationDialectInterface &tutti::program::getFactoryOf(Operation *user,
                                                                  FlatSymbolRefAttr group) {
  const CommunicationDialectInterface *factory = getFactory(user, group);
  assert(factory && "the program was not checked");
  return *factory;
}

Operation *tutti::program::createExchange(OpBuilder &builder, Location loc, Operation *user,
                                          const CommunicationForm &form, Value input, Type result) {
  return getFactoryOf(user, form.group).create(builder, loc, form, input, result);
}

SmallVector<Value> tutti::program::createBucket(OpBuilder &builder, Location loc, Operation *user,
                                                const CommunicationForm &form, ValueRange values) {
  const CommunicationDialectInterface &factory = getFactoryOf(user, form.group);
  if (Operation *bucket = factory.create(builder, loc, form, values, TypeRange(values)))
    return SmallVector<Value>(bucket->getResults());
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    if (Operation *op = factory.create(builder, loc, form, value, value.getType()))
      return op->getResult(0);
    failAtFactory(findGroup(user, form.group))
        << "makes no " << spellKind(form.kind) << " of " << value.getType() << "; " << kDocs;
    return value;
  });
}

SmallVector<Value> tutti::program::createAllReduce(OpBuilder &builder, Location loc,
                                                   Operation *user, Reduction reduction,
                                                   ValueRange values, FlatSymbolRefAttr group) {
  return createBucket(builder, loc, user, {CommunicationKind::AllReduce, group, reduction}, values);
}
