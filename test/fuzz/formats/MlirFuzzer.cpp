// Bytes as MLIR text or bytecode, up to the point where a program is let in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/ReadProgram.h"
#include "test/fuzz/formats/Contexts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)tutti::frontend::readMlirProgram("input.mlir", tutti::fuzz::textOf(data, size),
                                         tutti::fuzz::nextContext());
  return 0;
}
