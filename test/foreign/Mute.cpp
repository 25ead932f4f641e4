// Registers its two operations; what they answer stands in their table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/foreign/Mute.h"

#include "test/foreign/MuteDialect.cpp.inc"

#define GET_OP_CLASSES
#include "test/foreign/Mute.cpp.inc"

using namespace mlir;
using namespace tutti::test;

void MuteDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "test/foreign/Mute.cpp.inc"
      >();
}
