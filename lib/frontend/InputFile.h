// The file that a tool is given.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_INPUTFILE_H
#define TUTTI_LIB_FRONTEND_INPUTFILE_H

#include "lib/frontend/InputFormat.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace tutti::frontend {

struct InputFile {
  std::unique_ptr<llvm::MemoryBuffer> content;
  InputFormat format;

  llvm::StringRef text() const { return content->getBuffer(); }
};

/// The file at `path`; "-" is standard input. A model or bytecode is mapped into memory and not
/// read, so that weights in it cost nothing until they are used; it must not be made shorter
/// meanwhile. Text is read, and a 0 comes after it. Contents start at a multiple of 64.
llvm::Expected<InputFile> openInput(llvm::StringRef path);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_INPUTFILE_H
