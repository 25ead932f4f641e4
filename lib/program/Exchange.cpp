// Asks the dialect of a group for its operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/Exchange.h"

#include <cassert>

using namespace mlir;
using namespace tutti;

LogicalResult tutti::program::verifyFactory(ModuleOp module) {
  GroupOpInterface world = findWorldGroup(module);
  if (!world)
    return success();
  const CommunicationDialectInterface *factory = getFactory(world);
  using Kind = CommunicationKind;
  for (Kind kind : {Kind::AllReduce, Kind::AllGather, Kind::ReduceScatter, Kind::Broadcast})
    if (!factory || !factory->makes(kind))
      return mlir::emitError(world->getLoc())
             << "the group of all ranks is a '" << world->getName() << "', whose dialect makes no "
             << spellKind(kind)
             << ": a program is distributed in a dialect whose CommunicationDialectInterface does";
  return success();
}

const CommunicationDialectInterface &tutti::program::getFactoryOf(Operation *user,
                                                                  FlatSymbolRefAttr group) {
  const CommunicationDialectInterface *factory = getFactory(user, group);
  assert(factory && "the program was not checked");
  return *factory;
}

Operation *tutti::program::createExchange(OpBuilder &builder, Location loc, Operation *user,
                                          const CommunicationForm &form, ValueRange inputs,
                                          TypeRange results) {
  return getFactoryOf(user, form.group).create(builder, loc, form, inputs, results);
}

ResultRange tutti::program::createAllReduce(OpBuilder &builder, Location loc, Operation *user,
                                            Reduction reduction, ValueRange values,
                                            FlatSymbolRefAttr group) {
  CommunicationForm form = {CommunicationKind::AllReduce, group, reduction};
  return createExchange(builder, loc, user, form, values, TypeRange(values))->getResults();
}
