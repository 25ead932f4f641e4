// Opens programs and models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/InputFile.h"

#include "lib/frontend/ForeignFiles.h"

#include "llvm/Support/FileSystem.h"

using namespace tutti::frontend;
using llvm::MemoryBuffer;

/// Weights in bytecode are used where they lie, so the file must be aligned as they want to be.
static constexpr llvm::Align inputAlignment = llvm::Align::Constant<64>();

llvm::Expected<InputFile> tutti::frontend::openInput(llvm::StringRef path) {
  // A 0 after a file whose pages are full would take a copy of it.
  auto content = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false, inputAlignment);
  if (std::error_code code = content.getError())
    return llvm::createStringError(
        code, "cannot open input file '" + path + "': " + code.message() +
                  (llvm::sys::fs::is_directory(path) ? "; " + nameFolder(path) : std::string()));
  InputFile file{std::move(*content), InputFormat::Unknown};
  file.format = detectInputFormat(file.text());
  if (file.format == InputFormat::MlirText)
    file.content = MemoryBuffer::getMemBufferCopy(file.text(), path);
  return file;
}
