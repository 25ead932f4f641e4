// Which kind of program a file holds, told by its content and never by its name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_INPUTFORMAT_H
#define TUTTI_LIB_FRONTEND_INPUTFORMAT_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tutti::frontend {

enum class InputFormat {
  MlirBytecode, ///< starts with the magic number of MLIR bytecode
  MlirText,     ///< UTF-8 text without control characters that may begin a program
  Onnx,         ///< a protocol buffer whose fields are those of an ONNX ModelProto
  Unknown,
};

/// The format of a whole file. An ONNX file that is cut off or damaged after its beginning is
/// still called `Onnx`, so that its reader can say what is wrong with it.
InputFormat detectInputFormat(llvm::StringRef content);

/// Why `content` is none of the formats: one line for an error message, which says what it is
/// instead and what to do, or lists what was tried.
std::string explainUnknownFormat(llvm::StringRef content);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_INPUTFORMAT_H
