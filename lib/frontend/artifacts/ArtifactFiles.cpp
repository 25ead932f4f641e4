// Opening the files of training artifacts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/artifacts/ArtifactFiles.h"

#include "llvm/Support/FileSystem.h"

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
tutti::frontend::openArtifact(llvm::StringRef path) {
  auto refuse = [](const llvm::Twine &reason) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), reason);
  };
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return refuse("cannot read it: " + code.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return refuse("it is not a regular file");
  auto content = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (!content)
    return refuse("cannot read it: " + content.getError().message());
  return std::move(*content);
}
