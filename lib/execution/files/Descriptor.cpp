// What the system calls of descriptors leave to their callers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/Descriptor.h"

#include <cerrno>
#include <sys/resource.h>

std::string tutti::execution::sizeLimit() {
  rlimit size;
  if (getrlimit(RLIMIT_FSIZE, &size) != 0 || size.rlim_cur == RLIM_INFINITY)
    return "";
  return "; the limit is " + std::to_string(size.rlim_cur) +
         " bytes of a file; raise it with ulimit -f";
}

llvm::Error tutti::execution::systemError(const llvm::Twine &what, std::error_code code) {
  std::string limit = code == std::errc::file_too_large ? sizeLimit() : "";
  return llvm::createStringError(code, what + ": " + code.message() + limit);
}

llvm::Error tutti::execution::systemError(const llvm::Twine &what) {
  return systemError(what, std::error_code(errno, std::generic_category()));
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
