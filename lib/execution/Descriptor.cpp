// What the system calls of descriptors leave to their callers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/Descriptor.h"

#include <cerrno>

llvm::Error tutti::execution::systemError(const llvm::Twine &what) {
  std::error_code code(errno, std::generic_category());
  return llvm::createStringError(code, what + ": " + code.message());
}

bool tutti::execution::writeAll(int file, llvm::StringRef content) {
  while (!content.empty()) {
    ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno != EINTR)
      return false;
    content = content.drop_front(written < 0 ? 0 : written);
  }
  return true;
}
