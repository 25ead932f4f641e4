// What the dialect tells Tutti beside what its table says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tiny.h"

using namespace tiny;
using Kind = tutti::CommunicationKind;

#include "TinyDialect.cpp.inc"
#define GET_OP_CLASSES
#include "Tiny.cpp.inc"

/// By this passes make collectives of the dialect. A strategy that needs other kinds says so.
using Factory = tutti::FormFactory<ExchangeOp, Kind::AllReduce, Kind::Broadcast>;

void TinyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Tiny.cpp.inc"
      >();
  // Equal operands give equal bits on every rank: the proof of equal variables rests on that.
  addInterfaces<tutti::UniformityDialectInterface, Factory>();
}
