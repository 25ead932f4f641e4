// Bytes as an ONNX model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/InputFormat.h"
#include "test/fuzz/formats/Contexts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef content = tutti::fuzz::textOf(data, size);
  (void)tutti::frontend::detectInputFormat(content);
  (void)tutti::frontend::importOnnx("/nowhere/input.onnx", content, tutti::fuzz::nextContext());
  return 0;
}
