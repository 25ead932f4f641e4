// Protocol buffers as they are written: libonnx's classes do not tell where contents stand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_WIREFORMAT_H
#define TUTTI_LIB_FRONTEND_MODEL_WIREFORMAT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tutti::frontend {

/// One field of a serialized message; views of the message.
struct WireField {
  int number;
  llvm::StringRef whole; ///< with its tag and length
  /// Of a field that has a length: a message, a string, bytes.
  std::optional<llvm::StringRef> content;
};

/// Calls `use` for each field of `message` until it returns false. Whether it came to the end, and
/// the message is well formed as far as its fields go.
bool forEachWireField(llvm::StringRef message, llvm::function_ref<bool(const WireField &)> use);

/// Adds a field that has a length to a serialized message.
void appendWireField(std::string &message, int number, llvm::StringRef content);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_WIREFORMAT_H
