// Bytes as a checkpoint of ONNX Runtime's on-device training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/artifacts/CheckpointFile.h"
#include "test/fuzz/formats/Contexts.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace tutti::frontend;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef content = tutti::fuzz::textOf(data, size);
  auto file = CheckpointFile::parse(llvm::MemoryBuffer::getMemBufferCopy(content));
  if (!file) {
    llvm::consumeError(file.takeError());
    return 0;
  }
  mlir::Location location = mlir::UnknownLoc::get(tutti::fuzz::nextContext());
  for (const CheckpointTensor &tensor : (*file)->parameters())
    if (mlir::RankedTensorType type = CheckpointFile::typeOf(tensor, location))
      (void)(*file)->contentOf(tensor, type, location);
  (void)(*file)->moment("w", 1);
  return 0;
}
