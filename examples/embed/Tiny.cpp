// What the dialect tells Tutti.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tiny.h"

#include "tutti/dialects/interfaces/Determinism.h"

using namespace mlir;
using namespace tiny;

#include "TinyDialect.cpp.inc"
#define GET_OP_CLASSES
#include "Tiny.cpp.inc"

void TinyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Tiny.cpp.inc"
      >();
  // Equal operands give equal results on every rank: what is proved of variables rests on it.
  addInterfaces<tutti::UniformityDialectInterface>();
}
