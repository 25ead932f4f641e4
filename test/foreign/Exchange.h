// The dialect exchange of the tests: collectives that implement our interfaces and share nothing
// else with ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_FOREIGN_EXCHANGE_H
#define TUTTI_TEST_FOREIGN_EXCHANGE_H

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ComputeCost.h"
#include "dialects/interfaces/TypeRefinement.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tutti::test {

/// What communication of this dialect shares besides values.
struct WireResource : mlir::SideEffects::Resource::Base<WireResource> {
  llvm::StringRef getName() final { return "<Wire>"; }
};

} // namespace tutti::test

#include "test/foreign/ExchangeDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "test/foreign/ExchangeTypes.h.inc"

#define GET_OP_CLASSES
#include "test/foreign/Exchange.h.inc"

namespace tutti::test {

/// Gives the dialect its factory.
void addExchangeFactory(ExchangeDialect &dialect);

/// Registers the passes to-exchange and from-exchange, which write the collectives of a module in
/// the other dialect.
void registerTranslations();

} // namespace tutti::test

#endif
